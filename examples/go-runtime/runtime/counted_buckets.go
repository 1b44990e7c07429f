// Reader of PC tables in counted-buckets: 2-bit counts of the starts in each bucket of text, then
// low bits of starts and values of fixed width.

package runtime

import "unsafe"

const (
	countedHeadBits       = 11 // of a whole record
	countedSplitWidth     = 15 // in the place of a width: a split record
	countedSplitHeadBits  = 22
	countedMinBlockShift  = 4
	countedEntryBits      = 9 // of an index entry, before bias and offset
	countedEntryWidth32   = 31
	countedListed         = 7 // in the place of low: starts without counts
	countedMaxBucketShift = 6
	countedListBits       = 6
	countedClusterBits    = 9
)

// A countedBase is what values are counted from: base, plus a bias of some bits in the record. The
// last `shift` bits of values are 0 and not stored.
type countedBase struct {
	base     int32
	biasBits uint8
	shift    uint8
}

var countedBases = [8]countedBase{
	{-2, 0, 0}, {-1, 0, 0}, {0, 0, 3}, {0, 0, 2}, {0, 8, 0}, {0, 16, 0}, {0, 24, 0}, {0, 32, 0},
}

// countedBits returns n bits, at most 32, from bit `at` of p on.
func countedBits(p unsafe.Pointer, at uintptr, n uint32) uint32 {
	return uint32(*(*uint64)(add(p, at/8)) >> (at % 8) & (1<<(n&63) - 1))
}

func countedMask(n uint32) uint32 {
	return uint32(uint64(1)<<(n&63) - 1)
}

// countedSum returns the sum of 32 counts of 2 bits.
func countedSum(counts uint64) uintptr {
	const pairs, nibbles = 0x3333333333333333, 0x0f0f0f0f0f0f0f0f
	counts = counts&pairs + counts>>2&pairs
	counts = counts&nibbles + counts>>4&nibbles
	return uintptr(counts * 0x0101010101010101 >> 56)
}

// countedPass moves from the value at bit `at` past up to n starts that are not above rest.
func countedPass(p unsafe.Pointer, at uintptr, width, low, n, rest uint32) uintptr {
	for ; n > 0 && countedBits(p, at+uintptr(width), low) <= rest; n-- {
		at += uintptr(low + width)
	}
	return at
}

func pctabValue(record unsafe.Pointer, textLen, pc uint32) int32 {
	head := *(*uint64)(record)
	low, width := uint32(head&15), uint32(head>>4&15)
	if width == countedSplitWidth {
		return countedSplitValue(record, textLen, pc)
	}
	base := &countedBases[head>>8&7]
	biasAt := uintptr(countedHeadBits)
	val := uint32(0)
	if width != 0 {
		counts := *(*uint64)(add(record, 1)) >> (countedHeadBits - 8)
		countAt := 2 * (pc >> (low & 31)) & 63
		biasAt += 2 * uintptr((textLen-1)>>(low&31)+1)
		i := countedSum(counts & (1<<countAt - 1))
		at := biasAt + uintptr(base.biasBits) + i*uintptr(low+width)
		at = countedPass(record, at, width, low, uint32(counts>>countAt&3), pc&countedMask(low))
		val = countedBits(record, at, width) << (base.shift & 31)
	}
	if base.biasBits != 0 {
		val += countedBits(record, biasAt, uint32(base.biasBits))
	}
	return base.base + int32(val)
}

// A countedSplit is the head of a split record; positions are bits from its first byte. The record's
// address is a number, since stores of pointers need write barriers, which newstack must not have.
type countedSplit struct {
	record     uintptr
	textLen    uint32
	nBlocks    uint32
	blockShift uint32
	offBits    uint32
	biasBits   uint32
	shift      uint32
	least      uint32
	indexAt    uintptr
	blocks     uintptr // what offsets of blocks count from: a byte's first bit
}

func (s *countedSplit) read(record unsafe.Pointer, textLen uint32) {
	head := *(*uint64)(record)
	base := &countedBases[head>>19&7]
	s.record = uintptr(record)
	s.textLen = textLen
	s.blockShift = uint32(head&15) + countedMinBlockShift
	s.nBlocks = (textLen-1)>>s.blockShift + 1
	s.offBits = uint32(head >> 8 & 31)
	s.biasBits = uint32(head >> 13 & 63)
	s.shift = uint32(base.shift)
	s.least = uint32(base.base) + uint32(head>>countedSplitHeadBits)&countedMask(uint32(base.biasBits))
	s.indexAt = countedSplitHeadBits + uintptr(base.biasBits)
	entry := countedEntryBits + uintptr(s.biasBits+s.offBits)
	s.blocks = (s.indexAt + uintptr(s.nBlocks)*entry + 7) &^ 7
}

// A countedBlock is a block of a split record.
type countedBlock struct {
	width, low uint32 // of its index entry
	bias       uint32
	at         uintptr // its offset, in bits
	nbits      uint32  // of a value's field; below clusterLow bits, the number of a high part follows
	clusterLow uint32
	clustered  bool
}

func (s *countedSplit) block(b *countedBlock, number uint32) {
	entry := countedEntryBits + uintptr(s.biasBits+s.offBits)
	at := s.indexAt + uintptr(number)*entry
	fields := *(*uint64)(add(unsafe.Pointer(s.record), at/8)) >> (at % 8)
	b.width = uint32(fields & 31)
	b.clustered = fields>>5&1 != 0
	b.low = uint32(fields >> 6 & 7)
	b.bias = uint32(fields>>countedEntryBits) & countedMask(s.biasBits)
	b.at = s.blocks + 8*uintptr(countedBits(unsafe.Pointer(s.record), at+countedEntryBits+uintptr(s.biasBits), s.offBits))
	if b.width == countedEntryWidth32 {
		b.width = 32
	}
	b.nbits = b.width
	if b.clustered {
		head := uint32(*(*uint16)(add(unsafe.Pointer(s.record), b.at/8-2)) >> (16 - countedClusterBits))
		b.clusterLow = head >> 4
		b.nbits = b.clusterLow
		for n := head & 15; n > 0; n >>= 1 {
			b.nbits++
		}
	}
}

// value returns the value that a field of a block encodes.
func (s *countedSplit) value(b *countedBlock, field uint32) int32 {
	if b.clustered {
		high := b.width - b.clusterLow
		at := b.at - countedClusterBits - uintptr(field>>b.clusterLow+1)*uintptr(high)
		field = countedBits(unsafe.Pointer(s.record), at, high)<<b.clusterLow | field&countedMask(b.clusterLow)
	}
	return int32(s.least + (b.bias+field)<<s.shift)
}

// lowOf returns the low bits of the starts of a block with counts, and its number of buckets.
func (s *countedSplit) lowOf(b *countedBlock, number uint32) (low, nBuckets uint32) {
	low = b.low
	if s.blockShift > countedMaxBucketShift {
		low += s.blockShift - countedMaxBucketShift
	}
	quanta := s.textLen - number<<s.blockShift
	if quanta > 1<<s.blockShift {
		quanta = 1 << s.blockShift
	}
	return low, (quanta-1)>>low + 1
}

func countedSplitValue(record unsafe.Pointer, textLen, pc uint32) int32 {
	var s countedSplit
	var b countedBlock
	s.read(record, textLen)
	number := pc >> s.blockShift
	s.block(&b, number)
	if b.width == 0 {
		return int32(s.least + b.bias<<s.shift)
	}
	rest := pc & countedMask(s.blockShift)
	block := add(record, b.at/8)
	var at uintptr
	if b.low == countedListed {
		n := countedBits(block, 0, countedListBits) + 1
		at = countedPass(block, countedListBits, b.nbits, s.blockShift, n, rest)
	} else {
		low, nBuckets := s.lowOf(&b, number)
		bucket := rest >> low
		counts := *(*uint64)(add(block, uintptr(bucket/32*8)))
		countAt := 2 * bucket & 63
		i := countedSum(counts & (1<<countAt - 1))
		if bucket >= 32 {
			i += countedSum(*(*uint64)(block))
		}
		at = 2*uintptr(nBuckets) + i*uintptr(low+b.nbits)
		at = countedPass(block, at, b.nbits, low, uint32(counts>>countAt&3), rest&countedMask(low))
	}
	return s.value(&b, countedBits(block, at, b.nbits))
}

// countedStarts returns the number of starts that n counts at bit `at` add up to.
func countedStarts(p unsafe.Pointer, at uintptr, n uint32) (starts uint32) {
	for ; n > 0; n-- {
		starts += countedBits(p, at, 2)
		at += 2
	}
	return starts
}

func pctabMax(record unsafe.Pointer, textLen uint32) int32 {
	head := *(*uint64)(record)
	low, width := uint32(head&15), uint32(head>>4&15)
	if width == countedSplitWidth {
		return countedSplitMax(record, textLen)
	}
	base := &countedBases[head>>8&7]
	biasAt := uintptr(countedHeadBits)
	starts := uint32(0)
	if width != 0 {
		nBuckets := (textLen-1)>>low + 1
		starts = countedStarts(record, biasAt, nBuckets)
		biasAt += 2 * uintptr(nBuckets)
	}
	at := biasAt + uintptr(base.biasBits)
	least := uint32(base.base) + countedBits(record, biasAt, uint32(base.biasBits))
	max := int32(-1 << 31)
	for i := uint32(0); i <= starts; i++ {
		if val := int32(least + countedBits(record, at, width)<<base.shift); val > max {
			max = val
		}
		at += uintptr(low + width)
	}
	return max
}

func countedSplitMax(record unsafe.Pointer, textLen uint32) int32 {
	var s countedSplit
	var b countedBlock
	s.read(record, textLen)
	max := int32(-1 << 31)
	for number := uint32(0); number < s.nBlocks; number++ {
		s.block(&b, number)
		at, low, starts := b.at, s.blockShift, uint32(0)
		if b.width == 0 {
			// One run covers the block.
		} else if b.low == countedListed {
			starts = countedBits(record, at, countedListBits) + 1
			at += countedListBits
		} else {
			var nBuckets uint32
			low, nBuckets = s.lowOf(&b, number)
			starts = countedStarts(record, at, nBuckets)
			at += 2 * uintptr(nBuckets)
		}
		for i := uint32(0); i <= starts; i++ {
			if val := s.value(&b, countedBits(record, at, b.nbits)); val > max {
				max = val
			}
			at += uintptr(low + b.nbits)
		}
	}
	return max
}
