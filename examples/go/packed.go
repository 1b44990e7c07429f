package pctab

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
)

// The layout of packed-starts. Bits are packed, the least significant first.
const (
	maxList     = 6 // starts of a short list; 3 bits in a record's first byte
	noShortList = 7 // in the place of the starts: 2 bits `form` follow
	wideList    = 0
	longList    = 1
	oneBlock    = 2
	blocks      = 3

	shortHeadBits = 9  // 3 starts, 2 base, 4 width
	listHeadBits  = 16 // of a wide or a long list
	shortBases    = 4
	maxShortWidth = 15
	maxWideWidth  = 31
	maxLongList   = 15
	minLaneBits   = 4
	lanesBits     = 61 // of starts in a word, above which their number has room
	word1Bits     = 60 // the same in a long list
	word2Bits     = 53 // in a word that begins with up to 7 bits of the first

	oneHeadBits   = 28 // 3 bits 7, 2 form, 3 base, 20 description
	headBiasBits  = 4  // of the bias of one block, more than its bytes have
	manyHeadBits  = 24 // 3 bits 7, 2 form, 3 base, 5 k, 5 o, 6 b
	blockBits     = 20 // of a description: 6 starts, 4 low, 5 low width, 3 number width, 2 search
	maxStarts     = 63 // of a block
	maxLow        = 15
	maxLowWidth   = 31
	maxNumberBits = 4
	maxHighs      = 1 << maxNumberBits
	highBits      = 5
	maxBuckets    = 32
	bucketMax     = 3 // the count of a bucket; a full one may have more starts
	fullBits      = 9 // of a full bucket: 5 number, 4 further starts
	maxFull       = 2
	maxMore       = 15
	eliasFano     = 3 // in the place of the number of full buckets
	maxUpperBits  = 127
	minBlockShift = 4
	maxBlockShift = 31
	maxOffsetBits = 31
)

// A valueBase is what values are counted from: base, plus a bias of some bits in the record. Values
// are divided by the unit.
type valueBase struct {
	base      int32
	unit      uint32
	biasMask  uint32 // of one block
	biasBytes uint32 // of a record of blocks
}

var valueBases = [8]valueBase{
	{-2, 1, 0xf, 0}, {-1, 1, 0xf, 0}, {0, 8, 0xf, 0}, {0, 4, 0xf, 0},
	{0, 1, 0xfff, 1}, {0, 1, 0xfffff, 2}, {0, 1, 0xfffffff, 3}, {0, 1, 0xffffffff, 4},
}

// A laneSet has a 1 in the lowest bit of each lane of a word, and in the highest, and how many bits
// of starts the first word of a long list has.
type laneSet struct {
	ones, high uint64
	onesAbove  uint64 // ones << 1
	word1Bits  uint32
}

// lanesOf has a laneSet for each number of bits of a start, up to 33.
var lanesOf = func() (all [64]laneSet) {
	for w := uint(minLaneBits); w <= 33; w++ {
		for at := uint(0); at < 64; at += w {
			all[w].ones |= 1 << at
		}
		all[w].high = all[w].ones << (w - 1)
		all[w].onesAbove = all[w].ones << 1
		all[w].word1Bits = uint32(word1Bits / w * w)
	}
	return all
}()

// laneBits returns the bits of each start of a list; the highest one is 0.
func laneBits(textLen uint32) uint32 {
	return uint32(bits.Len32((textLen-1)|1<<(minLaneBits-2))) + 1
}

// maxLong returns the most starts of a long list.
func maxLong(lane uint32) uint32 {
	if n := word1Bits/lane + word2Bits/lane; n < maxLongList {
		return n
	}
	return maxLongList
}

// bucketsOf returns the number of buckets, or blocks, of 2^shift quanta in a stretch of text.
func bucketsOf(quanta uint32, shift uint) uint32 {
	return (quanta-1)>>(shift&31) + 1
}

// blockQuanta returns the quanta of block `number`: all but the last have 2^shift.
func blockQuanta(textLen uint32, shift uint, number uint32) uint32 {
	left := textLen - number<<(shift&31)
	if left < 1<<(shift&31) {
		return left
	}
	return 1 << (shift & 31)
}

// ---- lookups -----------------------------------------------------------------------------------

// count returns how many of the starts at the low end of a word, of nBits in all, are at most pc.
// The highest bit of a start is 0, so a lane's difference does not borrow from the next one. The
// product adds up the lanes below each.
func (l *laneSet) count(word uint64, nBits, pc uint32) uint32 {
	passed := ((uint64(pc)*l.ones | l.high) - word) & l.high
	return uint32(passed*l.onesAbove>>(nBits&63)) & 15
}

// wordAt returns at least 57 bits from bit `at` of a record on.
func wordAt(record []byte, at uint32) uint64 {
	return binary.LittleEndian.Uint64(record[at/8:]) >> (at % 8)
}

// LookupPacked is packed-starts' Lookup.
func LookupPacked(data []byte, off, textLen, pc uint32) int32 {
	record := data[off:]
	word := binary.LittleEndian.Uint64(record)
	n := uint32(word) & 7
	if n == noShortList {
		return lookupOther(record, textLen, pc)
	}
	lane := laneBits(textLen)
	nBits := n * lane
	i := lanesOf[lane&63].count(binary.LittleEndian.Uint64(record[1:])>>1, nBits, pc)
	base := &valueBases[word>>3&3]
	valueBits := uint32(word>>5) & 15
	value := uint32(wordAt(record, shortHeadBits+nBits+i*valueBits)) & (1<<valueBits - 1)
	return base.base + int32(value*base.unit)
}

// lookupOther looks up in a record that is not a short list.
func lookupOther(record []byte, textLen, pc uint32) int32 {
	head := uint32(binary.LittleEndian.Uint16(record))
	form := head >> 3 & 3
	if form >= oneBlock {
		return lookupBlocks(record, form, textLen, pc)
	}
	lane := laneBits(textLen)
	lanes := &lanesOf[lane&63]
	if form == wideList {
		n, valueBits, biasBytes := head>>5&7, head>>8&31, head>>13
		bias := int32(bitsAt(record, listHeadBits, uint(8*biasBytes)))
		record = record[listHeadBits/8+biasBytes:]
		nBits := n * lane
		i := lanes.count(binary.LittleEndian.Uint64(record), nBits, pc)
		return bias + int32(uint32(wordAt(record, nBits+i*valueBits))&(1<<valueBits-1))
	}
	base := &valueBases[head>>5&3]
	valueBits, nBits := head>>7&15, head>>11*lane
	first := lanes.word1Bits
	if nBits < first {
		first = nBits
	}
	i := lanes.count(binary.LittleEndian.Uint64(record[listHeadBits/8:]), first, pc) +
		lanes.count(wordAt(record, listHeadBits+first), nBits-first, pc)
	value := uint32(wordAt(record, listHeadBits+nBits+i*valueBits)) & (1<<valueBits - 1)
	return base.base + int32(value*base.unit)
}

// A parsed block. The positions of its parts are in bits from its first byte.
type block struct {
	p                        []byte
	nStarts                  uint32
	low, lowWidth, number    uint32 // bits of a start, and of the two parts of a field
	field, stride            uint32
	full                     uint32 // full buckets, or eliasFano
	nBuckets, fullAt, runsAt uint32
}

func readBlock(p []byte, description, lastQuantum uint32) block {
	b := block{
		p:        p,
		nStarts:  description & 63,
		low:      description >> 6 & 15,
		lowWidth: description >> 10 & 31,
		number:   description >> 15 & 7,
		full:     description >> 18 & 3,
	}
	b.nBuckets = lastQuantum>>b.low + 1
	b.field = b.lowWidth + b.number
	b.stride = b.field + b.low
	b.fullAt = 2 * b.nBuckets
	if b.full == eliasFano {
		b.runsAt = b.nStarts + b.nBuckets
	} else {
		b.runsAt = b.fullAt + fullBits*b.full
	}
	return b
}

// highsAt returns the bit of the block where its high parts are.
func (b *block) highsAt() uint32 {
	return b.runsAt + b.nStarts*b.stride + b.field
}

// word returns the field of run i, and after it the low bits of the next start.
func (b *block) word(i uint32) uint64 {
	return wordAt(b.p, b.runsAt+i*b.stride)
}

// value returns the value of the field at the low end of a word.
func (b *block) value(word uint64) uint32 {
	field := uint32(word & (1<<(b.field&63) - 1))
	if b.number == 0 {
		return field
	}
	at := b.highsAt()
	h := uint32(wordAt(b.p, at)) & 31
	high := uint32(wordAt(b.p, at+highBits+field>>(b.lowWidth&31)*h)) & (1<<(h&31) - 1)
	return high<<(b.lowWidth&31) | field&(1<<(b.lowWidth&31)-1)
}

const eachByte, highOfBytes = 0x0101010101010101, 0x8080808080808080

// sumBits returns in each byte how many 1 bits it and the bytes below have.
func sumBits(v uint64) uint64 {
	v -= v >> 1 & 0x5555555555555555
	v = v&0x3333333333333333 + v>>2&0x3333333333333333
	return (v + v>>4) & 0x0f0f0f0f0f0f0f0f * eachByte
}

// countBytes returns how many of the ascending bytes, each below 128, are at most n.
func countBytes(bytes, n uint64) uint32 {
	return uint32(((n*eachByte | highOfBytes) - bytes) >> 7 & eachByte * eachByte >> 56)
}

// selectBit returns the place of the 1 bit that n others precede, given sumBits(v).
func selectBit(v, sums uint64, n uint32) uint32 {
	at := countBytes(sums, uint64(n)) * 8 & 63
	before := sums << 8 >> at & 0xff
	each := v >> at & 0xff * eachByte & 0x8040201008040201
	ones := (each + 0x7f7f7f7f7f7f7f7f) >> 7 & eachByte
	return at + countBytes(ones*eachByte, uint64(n)-before)
}

// findCounted returns the starts in the buckets below one, and in it, from counts.
func findCounted(p []byte, fullAt, full, number uint32) (below, n uint32) {
	word := binary.LittleEndian.Uint64(p)
	at := 2 * number & 63
	counts := word & (1<<at - 1)
	counts = counts&0x3333333333333333 + counts>>2&0x3333333333333333
	counts = (counts + counts>>4) & 0x0f0f0f0f0f0f0f0f
	below, n = uint32(counts*eachByte>>56), uint32(word>>at)&bucketMax
	for k := uint32(0); k < full; k++ {
		entry := uint32(wordAt(p, fullAt+fullBits*k))
		if more := entry >> 5 & maxMore; entry&31 < number {
			below += more
		} else if entry&31 == number {
			n += more
		}
	}
	return below, n
}

// findListed returns the same from an Elias-Fano list. With a 1 in front, as many 1 bits precede a
// bucket as its number. The first bucket starts at bit 0.
func findListed(p []byte, number uint32) (below, n uint32) {
	at := uint32(0)
	if number > 0 {
		word := binary.LittleEndian.Uint64(p)
		word2 := binary.LittleEndian.Uint64(p[8:])<<1 | word>>63
		word = word<<1 | 1
		sums := sumBits(word)
		if ones := uint32(sums >> 56); number < ones {
			at = selectBit(word, sums, number)
		} else {
			at = 64 + selectBit(word2, sumBits(word2), number-ones)
		}
	}
	upper := wordAt(p, at) | 1<<57
	n = uint32(bits.TrailingZeros64(upper))
	if n == 57 { // a block has at most 63 starts
		n += uint32(bits.TrailingZeros64(wordAt(p, at+57) | 1<<57))
	}
	return at - number, n
}

// find returns the value at a quantum of the block at p, counted from the block's start.
func find(p []byte, description, lastQuantum, quantum uint32) uint32 {
	low, lowWidth := description>>6&15, description>>10&31
	number, full := description>>15&7, description>>18&3
	field := lowWidth + number
	stride := field + low
	runsAt := lastQuantum>>low + 1
	var below, n uint32
	if full == eliasFano {
		below, n = findListed(p, quantum>>low)
		runsAt += description & 63
	} else {
		below, n = findCounted(p, 2*runsAt, full, quantum>>low)
		runsAt = 2*runsAt + fullBits*full
	}
	mask := uint32(1)<<low - 1
	rest := quantum & mask
	at := runsAt + below*stride
	word := wordAt(p, at)
	for ; n > 0 && uint32(word>>(field&63))&mask <= rest; n-- {
		at += stride
		word = wordAt(p, at)
	}
	value := uint32(word & (1<<(field&63) - 1))
	if number == 0 {
		return value
	}
	at = runsAt + description&63*stride + field
	h := uint32(wordAt(p, at)) & 31
	high := uint32(wordAt(p, at+highBits+value>>lowWidth*h)) & (1<<h - 1)
	return high<<lowWidth | value&(1<<lowWidth-1)
}

// readOneBlock returns the block of a record of one, and what its values are counted from.
func readOneBlock(record []byte, textLen uint32) (b block, least, unit uint32) {
	head := binary.LittleEndian.Uint64(record)
	base := &valueBases[head>>5&7]
	least = uint32(base.base) + uint32(head>>oneHeadBits)&base.biasMask
	description := uint32(head>>8) & lowMask(blockBits)
	return readBlock(record[4+base.biasBytes:], description, textLen-1), least, base.unit
}

// A split is the head of a record of several blocks. Positions are in bits from the record's first
// byte.
type split struct {
	record     []byte
	textLen    uint32
	nBlocks    uint32
	blockShift uint
	offBits    uint
	biasBits   uint
	least      uint32
	unit       uint32
	indexAt    uint64
	indexEnd   uint64
	first      uint64 // what offsets of blocks count from: a byte
}

func readSplit(record []byte, textLen uint32) split {
	head := binary.LittleEndian.Uint64(record)
	base := &valueBases[head>>5&7]
	s := split{
		record:     record,
		textLen:    textLen,
		blockShift: uint(head >> 8 & 31),
		offBits:    uint(head >> 13 & 31),
		biasBits:   uint(head >> 18 & 63),
		unit:       base.unit,
		indexAt:    manyHeadBits + 8*uint64(base.biasBytes),
	}
	s.least = uint32(base.base) + bitsAt(record, manyHeadBits, uint(8*base.biasBytes))
	s.nBlocks = bucketsOf(textLen, s.blockShift)
	s.indexEnd = s.indexAt + uint64(s.nBlocks)*s.entryBits()
	s.first = (s.indexEnd + 7) / 8
	return s
}

func (s *split) entryBits() uint64 {
	return blockBits + uint64(s.biasBits) + uint64(s.offBits)
}

// entry returns the index entry of a block; off is the byte of the record where the block starts.
func (s *split) entry(number uint32) (description, bias uint32, off uint64) {
	at := s.indexAt + uint64(number)*s.entryBits()
	description = bitsAt(s.record, at, blockBits)
	off = s.first + uint64(bitsAt(s.record, at+blockBits, s.offBits))
	bias = bitsAt(s.record, at+blockBits+uint64(s.offBits), s.biasBits)
	return description, bias, off
}

func lookupBlocks(record []byte, form, textLen, pc uint32) int32 {
	if form == oneBlock {
		head := binary.LittleEndian.Uint64(record)
		base := &valueBases[head>>5&7]
		least := uint32(base.base) + uint32(head>>oneHeadBits)&base.biasMask
		value := find(record[4+base.biasBytes:], uint32(head>>8)&lowMask(blockBits), textLen-1, pc)
		return int32(least + value*base.unit)
	}
	s := readSplit(record, textLen)
	number := pc >> s.blockShift
	description, value, off := s.entry(number)
	if description != 0 {
		last := blockQuanta(textLen, s.blockShift, number) - 1
		value += find(record[off:], description, last, pc&lowMask(s.blockShift))
	}
	return int32(s.least + value*s.unit)
}

// ---- checking and decoding ---------------------------------------------------------------------

var (
	errListBias     = errors.New("bias of a list is not as short as possible")
	errList         = errors.New("more starts than a list can have")
	errBias         = errors.New("bias of a block has more than 32 bits")
	errRecordBias   = errors.New("bias of a record has more than 32 bits")
	errSingle       = errors.New("single block without a start")
	errIndexPadding = errors.New("bits after an index are not 0")
	errBlockPadding = errors.New("bits after a block are not 0")
	errPadding      = errors.New("bits after a record are not 0")
	errOneRunBlock  = errors.New("block of one run with more than a bias")
	errGap          = errors.New("block does not follow the one before it")
	errDescription  = errors.New("description of a block is out of range")
	errBuckets      = errors.New("more buckets than a block can have")
	errAllStarts    = errors.New("buckets of a block do not have all its starts")
	errDiffers      = errors.New("record differs from the encoding of its runs")
	errHigh         = errors.New("values of a block have more than 32 bits")
)

// isPadded reports whether the bits from `from` to the end of its byte are 0.
func isPadded(p []byte, from uint64) bool {
	return from%8 == 0 || p[from/8]>>(from%8) == 0
}

// DecodePacked is packed-starts' Decode. The encoding is canonical: a record must be what AppendPacked
// writes of its runs.
func DecodePacked(data []byte, areaLen, off int, textLen uint32) (runs []Run, end int, err error) {
	if off >= areaLen {
		return nil, off, errPastArea
	}
	record := data[off : areaLen+AreaPadding]
	limit := 8 * uint64(areaLen-off)
	var bit uint64
	head := uint32(binary.LittleEndian.Uint16(record))
	switch {
	case head&7 != noShortList || head>>3&3 < oneBlock:
		runs, bit, err = decodeList(record, limit, head, textLen)
	case head>>3&3 == oneBlock:
		runs, bit, err = decodeOneBlock(record, limit, textLen)
	default:
		runs, bit, err = decodeBlocks(record, limit, textLen)
	}
	if err != nil {
		return nil, off, err
	}
	if !isPadded(record, bit) {
		return nil, off, errPadding
	}
	end = off + int((bit+7)/8)
	if again, ok := AppendPacked(nil, runs, textLen); !ok || !bytes.Equal(again, data[off:end]) {
		return nil, off, errDiffers
	}
	return runs, end, nil
}

// checkNext appends a run that starts inside its list or block, before `end`; the run before it is
// of the same list or block.
func checkNext(runs []Run, before, run Run, end uint64) ([]Run, error) {
	if run.PC <= before.PC || uint64(run.PC) >= end {
		return nil, errAscend
	}
	if run.Value == before.Value {
		return nil, errNoChange
	}
	return append(runs, run), nil
}

func decodeList(record []byte, limit uint64, head, textLen uint32) (runs []Run, end uint64, err error) {
	lane := laneBits(textLen)
	least, unit := uint32(valueBases[head>>3&3].base), valueBases[head>>3&3].unit
	n, w, startsAt := head&7, head>>5&15, uint64(shortHeadBits)
	fits := n*lane <= lanesBits
	if n == noShortList && head>>3&3 == wideList {
		biasBytes := head >> 13
		bias := bitsAt(record, listHeadBits, uint(8*biasBytes))
		if biasBytes != (uint32(bits.Len32(bias|1))+7)/8 {
			return nil, 0, errListBias
		}
		least, unit = bias, 1
		n, w, startsAt = head>>5&7, head>>8&31, listHeadBits+8*uint64(biasBytes)
		fits = n <= maxList && n*lane <= lanesBits
	} else if n == noShortList {
		least, unit = uint32(valueBases[head>>5&3].base), valueBases[head>>5&3].unit
		n, w, startsAt = head>>11, head>>7&15, listHeadBits
		fits = n <= maxLong(lane)
	}
	if !fits {
		return nil, 0, errList
	}
	valuesAt := startsAt + uint64(n*lane)
	end = valuesAt + uint64(n+1)*uint64(w)
	if end > limit {
		return nil, 0, errPastArea
	}
	for i := uint32(0); i <= n; i++ {
		run := Run{Value: int32(least + bitsAt(record, valuesAt+uint64(i*w), uint(w))*unit)}
		if i == 0 {
			runs = append(runs, run)
			continue
		}
		start := wordAt(record, uint32(startsAt)+(i-1)*lane) & (1<<(lane&63) - 1)
		if start >= uint64(textLen) {
			return nil, 0, errAscend
		}
		run.PC = uint32(start)
		if runs, err = checkNext(runs, runs[i-1], run, uint64(textLen)); err != nil {
			return nil, 0, err
		}
	}
	return runs, end, nil
}

func decodeOneBlock(record []byte, limit uint64, textLen uint32) (runs []Run, end uint64, err error) {
	base := &valueBases[record[0]>>5]
	at := 32 + 8*uint64(base.biasBytes)
	if at > limit {
		return nil, 0, errPastArea
	}
	if base.biasBytes == 4 && bitsAt(record, oneHeadBits+32, headBiasBits) != 0 {
		return nil, 0, errRecordBias
	}
	b, least, unit := readOneBlock(record, textLen)
	if b.nStarts == 0 {
		return nil, 0, errSingle
	}
	value := func(i uint32) int32 { return int32(least + b.value(b.word(i))*unit) }
	runs, end, err = b.decode(nil, limit-at, 0, uint64(textLen), value)
	return runs, at + end, err
}

func decodeBlocks(record []byte, limit uint64, textLen uint32) (runs []Run, end uint64, err error) {
	s := readSplit(record, textLen)
	if s.biasBits > 32 {
		return nil, 0, errBias
	}
	end = 8 * s.first
	if end > limit {
		return nil, 0, errPastArea
	}
	if !isPadded(record, s.indexEnd) {
		return nil, 0, errIndexPadding
	}
	for number := uint32(0); number < s.nBlocks; number++ {
		description, bias, off := s.entry(number)
		start := number << s.blockShift
		if description&63 == 0 {
			if description != 0 || off != s.first {
				return nil, 0, errOneRunBlock
			}
			runs = appendRun(runs, start, int32(s.least+bias*s.unit))
			continue
		}
		quanta := blockQuanta(textLen, s.blockShift, number)
		if off != (end+7)/8 {
			return nil, 0, errGap
		}
		b := readBlock(record[off:], description, quanta-1)
		value := func(i uint32) int32 { return int32(s.least + (bias+b.value(b.word(i)))*s.unit) }
		textEnd := uint64(start) + uint64(quanta)
		runs, end, err = b.decode(runs, limit-8*off, start, textEnd, value)
		if err != nil {
			return nil, 0, err
		}
		end += 8 * off
	}
	return runs, end, nil
}

// appendRun appends a run unless the value is that of the run before it.
func appendRun(runs []Run, pc uint32, value int32) []Run {
	if len(runs) > 0 && runs[len(runs)-1].Value == value {
		return runs
	}
	return append(runs, Run{pc, value})
}

// isInRange reports whether the widths of a block's fields are possible.
func (b *block) isInRange() bool {
	return b.field > 0 && b.field <= 32 && b.number <= maxNumberBits
}

// buckets returns the bucket of each start; nil when they are not all there.
func (b *block) buckets() []uint32 {
	var all []uint32
	if b.full != eliasFano {
		k := uint32(0) // the next full bucket
		for i := uint32(0); i < b.nBuckets; i++ {
			n := bitsAt(b.p, uint64(2*i), 2)
			if k < b.full {
				full := bitsAt(b.p, uint64(b.fullAt+fullBits*k), fullBits)
				if full&31 == i {
					if n != bucketMax || full>>5 == 0 {
						return nil
					}
					n += full >> 5
					k++
				}
			}
			for ; n > 0; n-- {
				all = append(all, i)
			}
		}
		if k < b.full {
			return nil
		}
	} else {
		bucket, last := uint32(0), uint32(0)
		for at := uint64(0); at < uint64(b.runsAt); at++ {
			if last = bitsAt(b.p, at, 1); last == 1 {
				bucket++
			} else {
				all = append(all, bucket)
			}
		}
		if last == 0 {
			return nil
		}
	}
	if uint32(len(all)) != b.nStarts {
		return nil
	}
	return all
}

// decode appends the runs of a block in the text from `start` up to textEnd, and returns the bit
// of the block where it ends; `limit` bits of the area are left.
func (b *block) decode(runs []Run, limit uint64, start uint32, textEnd uint64, value func(i uint32) int32) ([]Run, uint64, error) {
	if !b.isInRange() {
		return nil, 0, errDescription
	}
	if b.full == eliasFano {
		if b.nBuckets > maxUpperBits || b.runsAt > maxUpperBits {
			return nil, 0, errBuckets
		}
	} else if b.nBuckets > maxBuckets {
		return nil, 0, errBuckets
	}
	end := uint64(b.highsAt())
	if end > limit {
		return nil, 0, errPastArea
	}
	buckets := b.buckets()
	if buckets == nil {
		return nil, 0, errAllStarts
	}
	if b.number > 0 {
		largest := uint32(0)
		for i := uint32(0); i <= b.nStarts; i++ {
			number := uint32(b.word(i)) & lowMask(uint(b.field)) >> b.lowWidth
			if number > largest {
				largest = number
			}
		}
		h := bitsAt(b.p, end, highBits)
		if h+b.lowWidth > 32 {
			return nil, 0, errHigh
		}
		end += highBits + uint64(largest+1)*uint64(h)
		if end > limit {
			return nil, 0, errPastArea
		}
	}
	if !isPadded(b.p, end) {
		return nil, 0, errBlockPadding
	}
	before := Run{start, value(0)}
	runs = appendRun(runs, start, before.Value)
	for i, bucket := range buckets {
		low := uint32(b.word(uint32(i))>>b.field) & lowMask(uint(b.low))
		run := Run{start + (bucket<<b.low | low), value(uint32(i) + 1)}
		var err error
		if runs, err = checkNext(runs, before, run, textEnd); err != nil {
			return nil, 0, err
		}
		before = run
	}
	return runs, end, nil
}
