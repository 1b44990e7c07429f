package pctab

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// The layout of packed-starts. Bits are packed, the least significant first.
const (
	maxList  = 13 // starts of a list: 4 bits `form`
	oneBlock = 14 // in the place of the starts: a record of one block
	blocks   = 15 // a record of several

	listHeadBits  = 11 // 4 form, 3 base, 4 width
	maxWidth      = 15
	minStartBits  = 4  // of a list
	word1Bits     = 61 // of starts, in a word that begins with 3 bits of the head
	word2Bits     = 57 // in a word that begins with up to 7 bits of the first
	descriptionAt = 7  // in a record of one block
	headBiasBits  = 5  // more than the bias of a list has
	oneHeadBits   = 27 // 4 form, 3 base, 20 description
	manyHeadBits  = 23 // 4 form, 3 base, 5 k, 5 o, 6 b

	blockBits     = 20 // of a description: 6 starts, 4 low, 5 low width, 3 number width, 2 search
	maxStarts     = 63 // of a block
	maxLow        = 15
	lowWidth32    = 31 // in the place of a low width: 32
	maxNumberBits = 4
	maxHighs      = 1 << maxNumberBits
	highBits      = 5
	maxUpperBits  = 127 // of Elias-Fano; counts take at most 64
	minBlockShift = 4
	maxBlockShift = 31
	maxOffsetBits = 31
)

// How a block finds the starts in a bucket.
const (
	counts2 = iota
	counts4
	eliasFano
	nSearches
)

// A valueBase is what values are counted from: base, plus a bias of some bits in the record. Values
// are divided by the unit.
type valueBase struct {
	base     int32
	unit     uint32
	biasBits uint
}

var valueBases = [8]valueBase{
	{-2, 1, 0}, {-1, 1, 0}, {0, 8, 0}, {0, 4, 0}, {0, 1, 8}, {0, 1, 16}, {0, 1, 24}, {0, 1, 32},
}

// blockBiasMask returns the bits of the bias of a record with blocks.
func (b *valueBase) blockBiasMask() uint32 {
	if b.biasBits == 32 {
		return 1<<32 - 1
	}
	return lowMask(b.biasBits + headBiasBits)
}

// A laneSet has a 1 in each lane of a word, and how many bits of starts the first word of a list
// has.
type laneSet struct {
	ones      uint64
	word1Bits uint32
}

var lanesOf = func() (all [33]laneSet) {
	for w := 1; w <= 32; w++ {
		for at := 0; at < 64; at += w {
			all[w].ones |= 1 << at
		}
		all[w].word1Bits = uint32(word1Bits / w * w)
	}
	return all
}()

// startBits returns the bits of each start of a list.
func startBits(textLen uint32) uint {
	return width((textLen - 1) | 1<<(minStartBits-1))
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

// countStarts returns how many of the starts at the low end of a word, of n bits each and nBits
// all, are not above that in every lane of pcs; any number if nBits is 0. Where the highest bits of
// two lanes are equal, the difference of the others decides. The product adds up the lanes below
// each.
func countStarts(word uint64, nBits uint32, n uint, ones, pcs uint64) uint32 {
	high := ones << ((n - 1) & 63)
	others := (pcs | high) - word&^high
	passed := (pcs&^word | others&(pcs|^word)) & high
	return uint32(passed * ones >> ((nBits - 1) & 63) & 15)
}

// LookupPacked is packed-starts' Lookup.
func LookupPacked(data []byte, off, textLen, pc uint32) int32 {
	record := data[off:]
	head := uint32(binary.LittleEndian.Uint16(record))
	form := head & 15
	if form >= oneBlock {
		return lookupBlocks(record, textLen, pc)
	}
	base := &valueBases[head>>4&7]
	n := startBits(textLen)
	lanes := &lanesOf[n]
	pcs := uint64(pc) * lanes.ones
	nBits := form * uint32(n)
	starts := binary.LittleEndian.Uint64(record[1:]) >> (listHeadBits - 8)
	var i uint32
	if nBits <= lanes.word1Bits {
		i = countStarts(starts, nBits, n, lanes.ones, pcs)
	} else {
		at := listHeadBits + lanes.word1Bits
		word2 := binary.LittleEndian.Uint64(record[at/8:]) >> (at % 8)
		i = countStarts(starts, lanes.word1Bits, n, lanes.ones, pcs) +
			countStarts(word2, nBits-lanes.word1Bits, n, lanes.ones, pcs)
	}
	at := listHeadBits + nBits
	bias := binary.LittleEndian.Uint64(record[at/8:]) >> (at % 8) & (1<<(base.biasBits&63) - 1)
	valueBits := head >> 7 & 15
	at += uint32(base.biasBits) + i*valueBits
	value := uint32(binary.LittleEndian.Uint64(record[at/8:])>>(at%8)) & (1<<valueBits - 1)
	return base.base + int32(uint32(bias)+value*base.unit)
}

// A block taken apart: the places of its parts are in bits from its first byte.
type block struct {
	p                        []byte
	nStarts                  uint32
	low, lowWidth, number    uint // bits of a start, and of the two parts of a field
	field                    uint
	search                   uint
	nBuckets                 uint32
	lowsAt, fieldsAt, highAt uint64
}

func readBlock(p []byte, description, lastQuantum uint32) block {
	b := block{
		p:        p,
		nStarts:  description & 63,
		low:      uint(description >> 6 & 15),
		lowWidth: uint(description >> 10 & 31),
		number:   uint(description >> 15 & 7),
		search:   uint(description >> 18 & 3),
	}
	if b.lowWidth == lowWidth32 {
		b.lowWidth = 32
	}
	b.nBuckets = lastQuantum>>b.low + 1
	b.field = b.lowWidth + b.number
	if b.search == eliasFano {
		b.lowsAt = uint64(b.nStarts) + uint64(b.nBuckets)
	} else {
		b.lowsAt = uint64(b.nBuckets) << (b.search + 1)
	}
	b.fieldsAt = b.lowsAt + uint64(b.nStarts)*uint64(b.low)
	b.highAt = b.fieldsAt + uint64(b.nStarts+1)*uint64(b.field)
	return b
}

// value returns the value of field i.
func (b *block) value(i uint32) uint32 {
	field := binary.LittleEndian.Uint64(b.p[(b.fieldsAt+uint64(i)*uint64(b.field))/8:]) >>
		((b.fieldsAt + uint64(i)*uint64(b.field)) % 8) & (1<<(b.field&63) - 1)
	if b.number == 0 {
		return uint32(field)
	}
	h := bitsAt(b.p, b.highAt, highBits)
	high := bitsAt(b.p, b.highAt+highBits+field>>(b.lowWidth&63)*uint64(h), uint(h))
	return high<<(b.lowWidth&63) | uint32(field)&lowMask(b.lowWidth)
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

// bucket returns the starts in the buckets below one, and in it.
func (b *block) bucket(number uint32) (below, n uint32) {
	word := binary.LittleEndian.Uint64(b.p)
	if b.search != eliasFano {
		at := number << (b.search + 1) & 63
		counts := word & (1<<at - 1)
		if b.search == counts2 {
			counts = counts&0x3333333333333333 + counts>>2&0x3333333333333333
		}
		counts = counts&0x0f0f0f0f0f0f0f0f + counts>>4&0x0f0f0f0f0f0f0f0f
		return uint32(counts * eachByte >> 56), uint32(word>>at) & (1<<(2<<b.search) - 1)
	}
	// With a 1 in front, as many 1 bits precede a bucket as its number.
	word2 := binary.LittleEndian.Uint64(b.p[8:])<<1 | word>>63
	word = word<<1 | 1
	sums := sumBits(word)
	var at uint32
	if ones := uint32(sums >> 56); number < ones {
		at = selectBit(word, sums, number)
	} else {
		at = 64 + selectBit(word2, sumBits(word2), number-ones)
	}
	upper := binary.LittleEndian.Uint64(b.p[at/8:])>>(at%8) | 1<<57
	n = uint32(bits.TrailingZeros64(upper))
	if n == 57 { // a block has at most 63 starts
		next := at + 57
		n += uint32(bits.TrailingZeros64(binary.LittleEndian.Uint64(b.p[next/8:])>>(next%8) | 1<<57))
	}
	return at - number, n
}

// run returns the run that covers a quantum, counted from the block's start.
func (b *block) run(quantum uint32) uint32 {
	i, n := b.bucket(quantum >> b.low)
	rest := quantum & lowMask(b.low)
	at := b.lowsAt + uint64(i)*uint64(b.low)
	for ; n > 0 && bitsAt(b.p, at, b.low) <= rest; n-- {
		at += uint64(b.low)
		i++
	}
	return i
}

// readOneBlock returns the block of a record of one, and what its values are counted from.
func readOneBlock(record []byte, textLen uint32) (b block, least, unit uint32) {
	head := binary.LittleEndian.Uint64(record)
	base := &valueBases[head>>4&7]
	least = uint32(base.base) + uint32(head>>oneHeadBits)&base.blockBiasMask()
	description := uint32(head>>descriptionAt) & lowMask(blockBits)
	return readBlock(record[4+base.biasBits/8:], description, textLen-1), least, base.unit
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
	base := &valueBases[head>>4&7]
	s := split{
		record:     record,
		textLen:    textLen,
		blockShift: uint(head >> 7 & 31),
		offBits:    uint(head >> 12 & 31),
		biasBits:   uint(head >> 17 & 63),
		unit:       base.unit,
		indexAt:    manyHeadBits + headBiasBits + uint64(base.biasBits),
	}
	s.least = uint32(base.base) + uint32(head>>manyHeadBits)&base.blockBiasMask()
	s.nBlocks = bucketsOf(textLen, s.blockShift)
	s.indexEnd = s.indexAt + uint64(s.nBlocks)*s.entryBits()
	s.first = (s.indexEnd + 7) / 8
	return s
}

func (s *split) entryBits() uint64 {
	return blockBits + uint64(s.biasBits) + uint64(s.offBits)
}

// entry returns what the index says of a block; off is the byte of the record where it starts.
func (s *split) entry(number uint32) (description, bias uint32, off uint64) {
	at := s.indexAt + uint64(number)*s.entryBits()
	description = bitsAt(s.record, at, blockBits)
	bias = bitsAt(s.record, at+blockBits, s.biasBits)
	off = s.first + uint64(bitsAt(s.record, at+blockBits+uint64(s.biasBits), s.offBits))
	return description, bias, off
}

func lookupBlocks(record []byte, textLen, pc uint32) int32 {
	if record[0]&15 == oneBlock {
		b, least, unit := readOneBlock(record, textLen)
		return int32(least + b.value(b.run(pc))*unit)
	}
	s := readSplit(record, textLen)
	number := pc >> s.blockShift
	description, value, off := s.entry(number)
	if description != 0 {
		b := readBlock(record[off:], description, blockQuanta(textLen, s.blockShift, number)-1)
		value += b.value(b.run(pc & lowMask(s.blockShift)))
	}
	return int32(s.least + value*s.unit)
}

// ---- checking and decoding ---------------------------------------------------------------------

var (
	errWidth        = errors.New("width of values does not fit the number of runs")
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
	errHigh         = errors.New("values of a block have more than 32 bits")
)

// isPadded reports whether the bits from `from` to the end of its byte are 0.
func isPadded(p []byte, from uint64) bool {
	return from%8 == 0 || p[from/8]>>(from%8) == 0
}

// DecodePacked is packed-starts' Decode.
func DecodePacked(data []byte, areaLen, off int, textLen uint32) (runs []Run, end int, err error) {
	if off >= areaLen {
		return nil, off, errPastArea
	}
	record := data[off : areaLen+AreaPadding]
	limit := 8 * uint64(areaLen-off)
	var bit uint64
	switch record[0] & 15 {
	case oneBlock:
		runs, bit, err = decodeOneBlock(record, limit, textLen)
	case blocks:
		runs, bit, err = decodeBlocks(record, limit, textLen)
	default:
		runs, bit, err = decodeList(record, limit, textLen)
	}
	if err != nil {
		return nil, off, err
	}
	if !isPadded(record, bit) {
		return nil, off, errPadding
	}
	return runs, off + int((bit+7)/8), nil
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

func decodeList(record []byte, limit uint64, textLen uint32) (runs []Run, end uint64, err error) {
	head := uint32(binary.LittleEndian.Uint16(record))
	n, base, w, s := head&15, &valueBases[head>>4&7], uint(head>>7&15), startBits(textLen)
	if (n == 0) != (w == 0) {
		return nil, 0, errWidth
	}
	if uint(n) > word1Bits/s+word2Bits/s {
		return nil, 0, errList
	}
	biasAt := listHeadBits + uint64(n)*uint64(s)
	valuesAt := biasAt + uint64(base.biasBits)
	end = valuesAt + uint64(n+1)*uint64(w)
	if end > limit {
		return nil, 0, errPastArea
	}
	least := uint32(base.base) + bitsAt(record, biasAt, base.biasBits)
	for i := uint32(0); i <= n; i++ {
		run := Run{Value: int32(least + bitsAt(record, valuesAt+uint64(i)*uint64(w), w)*base.unit)}
		if i == 0 {
			runs = append(runs, run)
			continue
		}
		run.PC = bitsAt(record, listHeadBits+uint64(i-1)*uint64(s), s)
		if runs, err = checkNext(runs, runs[i-1], run, uint64(textLen)); err != nil {
			return nil, 0, err
		}
	}
	return runs, end, nil
}

// isBiasWide reports whether a record's bias has more than 32 bits: that of 37 does not need them.
func isBiasWide(record []byte, headBits uint64) bool {
	return valueBases[record[0]>>4&7].biasBits == 32 && bitsAt(record, headBits+32, headBiasBits) != 0
}

func decodeOneBlock(record []byte, limit uint64, textLen uint32) (runs []Run, end uint64, err error) {
	at := 32 + uint64(valueBases[record[0]>>4&7].biasBits)
	if at > limit {
		return nil, 0, errPastArea
	}
	if isBiasWide(record, oneHeadBits) {
		return nil, 0, errRecordBias
	}
	b, least, unit := readOneBlock(record, textLen)
	if b.nStarts == 0 {
		return nil, 0, errSingle
	}
	value := func(i uint32) int32 { return int32(least + b.value(i)*unit) }
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
	if isBiasWide(record, manyHeadBits) {
		return nil, 0, errRecordBias
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
		value := func(i uint32) int32 { return int32(s.least + (bias+b.value(i))*s.unit) }
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
	return b.search < nSearches && b.field > 0 && b.field <= 32 && b.number <= maxNumberBits
}

// buckets returns the bucket of each start; nil when they are not all there.
func (b *block) buckets() []uint32 {
	var all []uint32
	if b.search != eliasFano {
		n := uint(2) << b.search
		for i := uint32(0); i < b.nBuckets; i++ {
			for k := bitsAt(b.p, uint64(i)*uint64(n), n); k > 0; k-- {
				all = append(all, i)
			}
		}
	} else {
		bucket, last := uint32(0), uint32(0)
		for at := uint64(0); at < b.lowsAt; at++ {
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
	most := uint64(64)
	if b.search == eliasFano {
		most = maxUpperBits
	}
	if b.nBuckets > maxUpperBits || b.lowsAt > most {
		return nil, 0, errBuckets
	}
	end := b.highAt
	if end > limit {
		return nil, 0, errPastArea
	}
	buckets := b.buckets()
	if buckets == nil {
		return nil, 0, errAllStarts
	}
	if b.number > 0 {
		largest := uint32(0)
		for i := uint64(0); i <= uint64(b.nStarts); i++ {
			number := bitsAt(b.p, b.fieldsAt+i*uint64(b.field)+uint64(b.lowWidth), b.number)
			if number > largest {
				largest = number
			}
		}
		h := bitsAt(b.p, b.highAt, highBits)
		if uint(h)+b.lowWidth > 32 {
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
		low := bitsAt(b.p, b.lowsAt+uint64(i)*uint64(b.low), b.low)
		run := Run{start + (bucket<<b.low | low), value(uint32(i) + 1)}
		var err error
		if runs, err = checkNext(runs, before, run, textEnd); err != nil {
			return nil, 0, err
		}
		before = run
	}
	return runs, end, nil
}
