package pctab

import (
	"encoding/binary"
	"errors"
)

// The layout of counted-buckets. Bits are packed, the least significant first.
const (
	maxCount = 3 // starts in a bucket

	headBits   = 11 // of a whole record: 4 low, 4 width, 3 base
	maxWidth   = 14
	maxLow     = 15
	maxBuckets = 30

	splitWidth    = 15 // in the place of a width: a split record
	splitHeadBits = 22 // of a split record: 4 k - 4, 4 width, 5 o, 6 b, 3 base
	minBlockShift = 4
	maxBlockShift = 19
	maxOffsetBits = 31

	entryBits      = 9  // of an index entry, before bias and offset: 5 width, 1 clustered, 3 low
	entryWidth32   = 31 // in the place of a width: 32
	listed         = 7  // in the place of low: starts without counts
	maxBucketShift = 6  // a block has at most 64 buckets

	listBits        = 6
	maxList         = 64
	clusterHeadBits = 9 // 4 number of high parts - 1, 5 low bits of a clustered value
	maxClusters     = 16
)

// A valueBase is what values are counted from: base, plus a bias of some bytes in the record. The
// last `shift` bits of values are 0 and not stored.
type valueBase struct {
	base      int32
	biasBytes uint
	shift     uint
}

var valueBases = [8]valueBase{
	{-2, 0, 0}, {-1, 0, 0}, {0, 0, 3}, {0, 0, 2}, {0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {0, 4, 0},
}

// bucketsOf returns the number of buckets of 2^low quanta in a stretch of text.
func bucketsOf(quanta uint32, low uint) uint32 {
	return (quanta-1)>>(low&31) + 1
}

// blockQuanta returns the quanta of block `number`: all but the last have 2^shift.
func blockQuanta(textLen uint32, shift uint, number uint32) uint32 {
	left := textLen - number<<shift
	if left < 1<<shift {
		return left
	}
	return 1 << shift
}

// leastLow is what the field `low` of an index entry is counted from.
func leastLow(blockShift uint) uint {
	if blockShift > maxBucketShift {
		return blockShift - maxBucketShift
	}
	return 0
}

// ---- lookups -----------------------------------------------------------------------------------

// sumCounts returns the sum of 32 counts of 2 bits.
func sumCounts(counts uint64) uint32 {
	const pairs, bytes = 0x3333333333333333, 0x0f0f0f0f0f0f0f0f
	counts = counts&pairs + counts>>2&pairs
	counts = counts&bytes + counts>>4&bytes
	return uint32(counts * 0x0101010101010101 >> 56)
}

// LookupCounted is counted-buckets' Lookup.
func LookupCounted(data []byte, off, textLen, pc uint32) int32 {
	record := data[off:]
	head := binary.LittleEndian.Uint64(record)
	low, width := uint(head&15), uint(head>>4&15)
	if width == splitWidth {
		return lookupSplit(record, textLen, pc)
	}
	base := &valueBases[head>>8&7]
	biasAt := uint64(headBits)
	value := uint32(0)
	if width != 0 {
		counts := binary.LittleEndian.Uint64(record[1:]) >> (headBits - 8)
		countAt := 2 * (pc >> (low & 31)) & 63
		biasAt += 2 * uint64(bucketsOf(textLen, low))
		i := sumCounts(counts & (1<<countAt - 1))
		at := biasAt + 8*uint64(base.biasBytes) + uint64(i)*uint64(low+width)
		at = passStarts(record, at, width, low, uint32(counts>>countAt&3), pc&lowMask(low))
		value = bitsAt(record, at, width) << (base.shift & 31)
	}
	if base.biasBytes != 0 {
		value += bitsAt(record, biasAt, 8*base.biasBytes)
	}
	return base.base + int32(value)
}

// passStarts moves from the value at bit `at` past up to n starts that are not above rest.
func passStarts(p []byte, at uint64, width, low uint, n, rest uint32) uint64 {
	for ; n > 0 && bitsAt(p, at+uint64(width), low) <= rest; n-- {
		at += uint64(low + width)
	}
	return at
}

// A split is the head of a split record. Positions are in bits from the record's first byte.
type split struct {
	record     []byte
	textLen    uint32
	nBlocks    uint32
	blockShift uint
	offBits    uint
	biasBits   uint
	base       *valueBase
	least      uint32
	indexAt    uint64
	indexEnd   uint64
	blocks     uint64 // what offsets of blocks count from: a byte's first bit
}

func readSplit(record []byte, textLen uint32) split {
	head := binary.LittleEndian.Uint64(record)
	base := &valueBases[head>>19&7]
	s := split{
		record:     record,
		textLen:    textLen,
		blockShift: uint(head&15) + minBlockShift,
		offBits:    uint(head >> 8 & 31),
		biasBits:   uint(head >> 13 & 63),
		base:       base,
		indexAt:    splitHeadBits + 8*uint64(base.biasBytes),
	}
	s.least = uint32(base.base) + uint32(head>>splitHeadBits)&lowMask(8*base.biasBytes)
	s.nBlocks = bucketsOf(textLen, s.blockShift)
	s.indexEnd = s.indexAt + uint64(s.nBlocks)*s.entryBits()
	s.blocks = (s.indexEnd + 7) &^ 7
	return s
}

func (s *split) entryBits() uint64 {
	return entryBits + uint64(s.biasBits) + uint64(s.offBits)
}

// An entry of a split record's index.
type entry struct {
	width, low uint
	clustered  bool
	bias       uint32
	block      uint64 // its bit in the record
}

func (s *split) entry(number uint32) entry {
	at := s.indexAt + uint64(number)*s.entryBits()
	fields := binary.LittleEndian.Uint64(s.record[at/8:]) >> (at % 8)
	e := entry{
		width:     uint(fields & 31),
		low:       uint(fields >> 6 & 7),
		clustered: fields>>5&1 == 1,
		bias:      uint32(fields>>entryBits) & lowMask(s.biasBits),
		block:     s.blocks + 8*uint64(bitsAt(s.record, at+entryBits+uint64(s.biasBits), s.offBits)),
	}
	if e.width == entryWidth32 {
		e.width = 32
	}
	return e
}

// clusters says how a block stores values: in `nbits`, of which those above `low` are the number
// of a high part. n is the number of high parts; 0: values are not clustered.
type clusters struct {
	nbits, low uint
	n          uint32
}

func (s *split) clusters(e *entry) clusters {
	if !e.clustered {
		return clusters{nbits: e.width}
	}
	head := binary.LittleEndian.Uint16(s.record[e.block/8-2:]) >> (16 - clusterHeadBits)
	n, low := uint32(head&15)+1, uint(head>>4)
	return clusters{low + width(n-1), low, n}
}

// value returns the value that a field of a block encodes.
func (s *split) value(e *entry, c *clusters, field uint32) uint32 {
	if c.n > 0 {
		high := e.width - c.low
		at := e.block - clusterHeadBits - uint64(field>>c.low+1)*uint64(high)
		field = bitsAt(s.record, at, high)<<c.low | field&lowMask(c.low)
	}
	return s.least + (e.bias+field)<<s.base.shift
}

func lookupSplit(record []byte, textLen, pc uint32) int32 {
	s := readSplit(record, textLen)
	number := pc >> s.blockShift
	e := s.entry(number)
	if e.width == 0 {
		return int32(s.least + e.bias<<s.base.shift)
	}
	c := s.clusters(&e)
	rest := pc & lowMask(s.blockShift)
	block := record[e.block/8:]
	var at uint64
	if e.low == listed {
		n := uint32(block[0]&(maxList-1)) + 1
		at = passStarts(block, listBits, c.nbits, s.blockShift, n, rest)
	} else {
		low := leastLow(s.blockShift) + e.low
		bucket := rest >> low
		counts := binary.LittleEndian.Uint64(block[bucket/32*8:])
		countAt := 2 * bucket & 63
		i := sumCounts(counts & (1<<countAt - 1))
		if bucket >= 32 {
			i += sumCounts(binary.LittleEndian.Uint64(block))
		}
		at = 2*uint64(bucketsOf(blockQuanta(textLen, s.blockShift, number), low)) +
			uint64(i)*uint64(low+c.nbits)
		at = passStarts(block, at, c.nbits, low, uint32(counts>>countAt&3), rest&lowMask(low))
	}
	return int32(s.value(&e, &c, bitsAt(block, at, c.nbits)))
}

// ---- checking and decoding ---------------------------------------------------------------------

var (
	errLowOfOneRun  = errors.New("low bits in a record of one run")
	errBuckets      = errors.New("more than 30 buckets")
	errNoStarts     = errors.New("values have a width, but no run starts after the first")
	errBias         = errors.New("bias of a block has more than 32 bits")
	errIndexPadding = errors.New("bits after an index are not 0")
	errPadding      = errors.New("bits after a record are not 0")
	errOneRunBlock  = errors.New("block of one run with more than a bias")
	errGap          = errors.New("block does not follow the one before it")
	errNoHighParts  = errors.New("clusters without high parts")
	errHighPart     = errors.New("number of a high part that the block does not have")
	errLow          = errors.New("more low bits than a start has")
)

// A part is a stretch of text whose runs are stored together: a whole record or a block.
type part struct {
	record        []byte
	start, quanta uint32
	listed        bool
	low           uint
	nbits         uint // of a value's field
	countsAt      uint64
	valuesAt      uint64
	value         func(field uint32) uint32
	nHighParts    uint32 // 0: fields are not clustered
	fieldLow      uint   // bits of a field below the number of its high part
}

func (p *part) nBuckets() uint32 {
	if p.listed {
		return 1
	}
	return bucketsOf(p.quanta, p.low)
}

func (p *part) count(bucket uint32) uint32 {
	if p.listed {
		return bitsAt(p.record, p.countsAt, listBits) + 1
	}
	return bitsAt(p.record, p.countsAt+2*uint64(bucket), 2)
}

// countsBits returns the bits that the counts of a part take.
func (p *part) countsBits() uint64 {
	if p.listed {
		return listBits
	}
	return 2 * uint64(p.nBuckets())
}

// decode appends the part's runs, and returns the bit where it ends. Counts may be read from the
// padding of the area; fields are read when they are known to lie before bit `limit`.
func (p *part) decode(runs []Run, limit uint64) ([]Run, uint64, error) {
	nStarts := uint64(0)
	for b := uint32(0); b < p.nBuckets(); b++ {
		nStarts += uint64(p.count(b))
	}
	if nStarts == 0 {
		return nil, 0, errNoStarts
	}
	step := uint64(p.low + p.nbits)
	end := p.valuesAt + nStarts*step + uint64(p.nbits)
	if end > limit {
		return nil, 0, errPastArea
	}
	for i := uint64(0); i <= nStarts && p.nHighParts > 0; i++ {
		if bitsAt(p.record, p.valuesAt+i*step, p.nbits)>>p.fieldLow >= p.nHighParts {
			return nil, 0, errHighPart
		}
	}
	at := p.valuesAt
	value := int32(p.value(bitsAt(p.record, at, p.nbits)))
	runs = appendRun(runs, p.start, value)
	previous := uint32(0)
	for b := uint32(0); b < p.nBuckets(); b++ {
		for k := p.count(b); k > 0; k-- {
			at += step
			start := bitsAt(p.record, at-uint64(p.low), p.low)
			if !p.listed {
				start |= b << p.low
			}
			next := int32(p.value(bitsAt(p.record, at, p.nbits)))
			if start <= previous || start >= p.quanta {
				return nil, 0, errAscend
			}
			if next == value {
				return nil, 0, errNoChange
			}
			runs = append(runs, Run{p.start + start, next})
			previous, value = start, next
		}
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

// isPadding reports whether bits from..to are fewer than 8, and 0.
func isPadding(record []byte, from, to uint64) bool {
	return to >= from && to-from < 8 && bitsAt(record, from, uint(to-from)) == 0
}

// DecodeCounted is counted-buckets' Decode.
func DecodeCounted(data []byte, areaLen, off int, textLen uint32) (runs []Run, end int, err error) {
	if off >= areaLen {
		return nil, off, errPastArea
	}
	record := data[off : areaLen+AreaPadding]
	limit := 8 * uint64(areaLen-off)
	var bit uint64
	if record[0]>>4 == splitWidth {
		runs, bit, err = decodeSplit(record, limit, textLen)
	} else {
		runs, bit, err = decodeWhole(record, limit, textLen)
	}
	if err != nil {
		return nil, off, err
	}
	if !isPadding(record, bit, (bit+7)&^7) {
		return nil, off, errPadding
	}
	return runs, off + int((bit+7)/8), nil
}

func decodeWhole(record []byte, limit uint64, textLen uint32) ([]Run, uint64, error) {
	head := binary.LittleEndian.Uint16(record)
	low, width := uint(head&15), uint(head>>4&15)
	base := &valueBases[head>>8&7]
	biasAt := uint64(headBits)
	switch {
	case width == 0 && low > 0:
		return nil, 0, errLowOfOneRun
	case width > 0 && bucketsOf(textLen, low) > maxBuckets:
		return nil, 0, errBuckets
	case width > 0:
		biasAt += 2 * uint64(bucketsOf(textLen, low))
	}
	valuesAt := biasAt + 8*uint64(base.biasBytes)
	least := uint32(base.base) + bitsAt(record, biasAt, 8*base.biasBytes)
	if width == 0 {
		if valuesAt > limit {
			return nil, 0, errPastArea
		}
		return []Run{{0, int32(least)}}, valuesAt, nil
	}
	p := part{
		record:   record,
		quanta:   textLen,
		low:      low,
		nbits:    width,
		countsAt: headBits,
		valuesAt: valuesAt,
		value:    func(field uint32) uint32 { return least + field<<base.shift },
	}
	return p.decode(nil, limit)
}

func decodeSplit(record []byte, limit uint64, textLen uint32) (runs []Run, end uint64, err error) {
	s := readSplit(record, textLen)
	if s.biasBits > 32 {
		return nil, 0, errBias
	}
	if s.blocks > limit {
		return nil, 0, errPastArea
	}
	if !isPadding(record, s.indexEnd, s.blocks) {
		return nil, 0, errIndexPadding
	}
	end = s.blocks
	for number := uint32(0); number < s.nBlocks; number++ {
		e := s.entry(number)
		if e.width == 0 {
			if e.clustered || e.low > 0 || e.block != s.blocks {
				return nil, 0, errOneRunBlock
			}
			runs = appendRun(runs, number<<s.blockShift, int32(s.least+e.bias<<s.base.shift))
			continue
		}
		runs, end, err = s.decodeBlock(&e, number, runs, end, limit)
		if err != nil {
			return nil, 0, err
		}
	}
	return runs, end, nil
}

// decodeBlock appends the runs of a block; the block before it ends at bit `end`.
func (s *split) decodeBlock(e *entry, number uint32, runs []Run, end, limit uint64) ([]Run, uint64, error) {
	if e.block >= limit {
		return nil, 0, errPastArea
	}
	c := s.clusters(e)
	first := e.block
	if c.n > 0 {
		if c.low >= e.width {
			return nil, 0, errNoHighParts
		}
		nbits := clusterHeadBits + uint64(c.n)*uint64(e.width-c.low)
		if nbits > first {
			return nil, 0, errGap
		}
		first -= nbits
	}
	if !isPadding(s.record, end, first) {
		return nil, 0, errGap
	}
	p := part{
		record:     s.record,
		start:      number << s.blockShift,
		quanta:     blockQuanta(s.textLen, s.blockShift, number),
		listed:     e.low == listed,
		low:        s.blockShift,
		nbits:      c.nbits,
		countsAt:   e.block,
		value:      func(field uint32) uint32 { return s.value(e, &c, field) },
		nHighParts: c.n,
		fieldLow:   c.low,
	}
	if !p.listed {
		p.low = leastLow(s.blockShift) + e.low
	}
	if p.low > s.blockShift {
		return nil, 0, errLow
	}
	p.valuesAt = e.block + p.countsBits()
	return p.decode(runs, limit)
}
