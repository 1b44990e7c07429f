// Reader of PC tables in packed-starts: a list of starts, or blocks whose starts are in buckets.

package runtime

import (
	"runtime/internal/sys"
	"unsafe"
)

const (
	packedNoShortList  = 7 // in the place of a short list's starts
	packedWideList     = 0
	packedLongList     = 1
	packedOneBlock     = 2
	packedShortBits    = 9  // of the head of a short list
	packedListBits     = 16 // of a wide or a long list
	packedOneBlockBits = 28
	packedBlocksBits   = 24
	packedBlockBits    = 20 // of a description
	packedFullBits     = 9  // of a full bucket: 5 number, 4 starts more than its count
	packedHighBits     = 5
	packedEliasFano    = 3 // in the place of the number of full buckets

	packedPairs   = 0x3333333333333333
	packedNibbles = 0x0f0f0f0f0f0f0f0f
	packedBytes   = 0x0101010101010101
)

// A packedBase is what values are counted from: base, plus a bias in the record. Values are stored
// divided by unit.
type packedBase struct {
	base      int32
	biasMask  uint32 // of one block
	biasBytes uint16 // of a record of blocks
	unit      uint16
}

var packedBases = [8]packedBase{
	{-2, 0xf, 0, 1}, {-1, 0xf, 0, 1}, {0, 0xf, 0, 8}, {0, 0xf, 0, 4},
	{0, 0xfff, 1, 1}, {0, 0xfffff, 2, 1}, {0, 0xfffffff, 3, 1}, {0, 0xffffffff, 4, 1},
}

func packedMask(n uint32) uint32 {
	return uint32(uint64(1)<<(n&63) - 1)
}

// packedWord returns at least 57 bits from bit `at` of p on.
func packedWord(p unsafe.Pointer, at uint32) uint64 {
	return *(*uint64)(add(p, uintptr(at/8))) >> (at % 8)
}

// packedBits returns n bits, at most 32.
func packedBits(p unsafe.Pointer, at, n uint32) uint32 {
	return uint32(packedWord(p, at)) & packedMask(n)
}

// A packedList is a parsed list; positions are bits from the record's first byte.
type packedList struct {
	n, width, at, startBits uint32
	least, unit             uint32
}

func packedReadList(record unsafe.Pointer, head, textLen uint32) (l packedList) {
	l.startBits = uint32(sys.Len64(uint64((textLen-1)|4))) + 1
	base := &packedBases[head>>3&3]
	l.n, l.width, l.at = head&7, head>>5&15, packedShortBits
	if l.n == packedNoShortList {
		if head>>3&3 == packedWideList {
			biasBits := head >> 13 * 8
			l.n, l.width, l.at = head>>5&7, head>>8&31, packedListBits+biasBits
			l.least, l.unit = packedBits(record, packedListBits, biasBits), 1
			return l
		}
		base = &packedBases[head>>5&3]
		l.n, l.width, l.at = head>>11, head>>7&15, packedListBits
	}
	l.least, l.unit = uint32(base.base), uint32(base.unit)
	return l
}

func pctabValue(record unsafe.Pointer, textLen, pc uint32) int32 {
	head := uint32(*(*uint16)(record))
	n := head & 7
	if n == packedNoShortList {
		return packedOtherValue(record, head, textLen, pc)
	}
	base := &packedBases[head>>3&3]
	startBits := uint32(sys.Len64(uint64((textLen-1)|4))) + 1
	width := head >> 5 & 15
	at := packedShortBits + n*startBits
	word := *(*uint64)(add(record, 1)) >> (packedShortBits - 8)
	for mask := uint64(1)<<(startBits&63) - 1; n > 0 && uint32(word&mask) <= pc; n-- {
		word >>= startBits & 63
		at += width
	}
	return base.base + int32(packedBits(record, at, width)*uint32(base.unit))
}

// packedOtherValue is pctabValue of a record that is not a short list.
func packedOtherValue(record unsafe.Pointer, head, textLen, pc uint32) int32 {
	if head>>3&3 >= packedOneBlock {
		return packedBlockValue(record, textLen, pc)
	}
	l := packedReadList(record, head, textLen)
	start, at := l.at, l.at+l.n*l.startBits
	for mask := uint64(1)<<(l.startBits&63) - 1; l.n > 0 && uint32(packedWord(record, start)&mask) <= pc; l.n-- {
		start += l.startBits
		at += l.width
	}
	return int32(l.least + packedBits(record, at, l.width)*l.unit)
}

// A packedBlock is a parsed block that has starts, for pctabMax; positions are bits from its first byte.
type packedBlock struct {
	p             unsafe.Pointer
	starts, low   uint32
	lowWidth      uint32
	number, field uint32 // bits
	full          uint32
	runsAt        uint32
}

func packedReadBlock(p unsafe.Pointer, entry, last uint32) (b packedBlock) {
	b.p = p
	b.starts, b.low = entry&63, entry>>6&15
	b.lowWidth, b.number = entry>>10&31, entry>>15&7
	b.field = b.lowWidth + b.number
	b.full = entry >> 18 & 3
	buckets := last>>b.low + 1
	b.runsAt = 2*buckets + b.full*packedFullBits
	if b.full == packedEliasFano {
		b.runsAt = buckets + b.starts
	}
	return b
}

// packedFind returns the value, as blocks count it, at a quantum from the start of the block at p. It
// keeps in variables what a packedBlock has in memory.
func packedFind(p unsafe.Pointer, entry, last, quantum uint32) uint32 {
	low, lowWidth := entry>>6&15, entry>>10&31
	number, full := entry>>15&7, entry>>18&3
	field := lowWidth + number
	stride := field + low
	runsAt := last>>low + 1
	var i, n uint32
	if full == packedEliasFano {
		i, n = packedSelected(p, quantum>>low)
		runsAt += entry & 63
	} else {
		i, n = packedCounted(p, 2*runsAt, full, quantum>>low)
		runsAt = 2*runsAt + full*packedFullBits
	}
	mask := packedMask(low)
	at := runsAt + i*stride
	word := packedWord(p, at)
	for rest := quantum & mask; n > 0 && uint32(word>>(field&63))&mask <= rest; n-- {
		at += stride
		word = packedWord(p, at)
	}
	val := uint32(word) & packedMask(field)
	if number == 0 {
		return val
	}
	highsAt := runsAt + entry&63*stride + field
	highBits := packedBits(p, highsAt, packedHighBits)
	high := packedBits(p, highsAt+packedHighBits+val>>lowWidth*highBits, highBits)
	return high<<lowWidth | val&packedMask(lowWidth)
}

// packedCounted returns the starts in the buckets below one, and in it, from counts.
func packedCounted(p unsafe.Pointer, fullAt, fulls, number uint32) (below, n uint32) {
	word := *(*uint64)(p)
	shift := 2 * number & 63
	sum := word & (1<<shift - 1)
	sum = sum&packedPairs + sum>>2&packedPairs
	below = uint32((sum + sum>>4) & packedNibbles * packedBytes >> 56)
	n = uint32(word>>shift) & 3
	for k := uint32(0); k < fulls; k++ {
		full := packedBits(p, fullAt+k*packedFullBits, packedFullBits)
		if full&31 < number {
			below += full >> 5
		} else if full&31 == number {
			n += full >> 5
		}
	}
	return below, n
}

// value returns the value of the field at the low end of a word.
func (b *packedBlock) value(word uint64) uint32 {
	field := uint32(word) & packedMask(b.field)
	if b.number == 0 {
		return field
	}
	highsAt := b.runsAt + b.starts*(b.field+b.low) + b.field
	highBits := packedBits(b.p, highsAt, packedHighBits)
	high := packedBits(b.p, highsAt+packedHighBits+field>>b.lowWidth*highBits, highBits)
	return high<<b.lowWidth | field&packedMask(b.lowWidth)
}

// packedSelected returns the starts in the buckets below one, and in it, of a block with Elias-Fano: for
// each bucket a 0 for each start, then a 1. With a 1 in front, as many 1 bits precede a bucket as its
// number.
func packedSelected(p unsafe.Pointer, bucket uint32) (below, n uint32) {
	word := *(*uint64)(p)<<1 | 1
	sums := packedSums(word)
	number, at := bucket, uint32(0)
	if ones := uint32(sums >> 56); number >= ones {
		word = *(*uint64)(add(p, 8))<<1 | uint64(*(*uint8)(add(p, 7)))>>7
		sums = packedSums(word)
		at = 64
		number -= ones
	}
	at += packedSelect(word, sums, number)
	n = uint32(sys.TrailingZeros64(packedWord(p, at) | 1<<57))
	if n == 57 { // a block has at most 63 starts
		n += uint32(sys.TrailingZeros64(packedWord(p, at+57) | 1<<57))
	}
	return at - bucket, n
}

// packedSums returns for each byte how many 1 bits it and the bytes below have.
func packedSums(v uint64) uint64 {
	v -= v >> 1 & 0x5555555555555555
	v = v&packedPairs + v>>2&packedPairs
	return (v + v>>4) & packedNibbles * packedBytes
}

// packedCountBytes returns how many of the ascending bytes, each below 128, are at most n.
func packedCountBytes(bytes, n uint64) uint32 {
	return uint32((((n*packedBytes | 0x8080808080808080) - bytes) >> 7 & packedBytes) * packedBytes >> 56)
}

// packedSelect returns the place of the 1 bit that n others precede, given packedSums(v); v has more
// than n.
func packedSelect(v, sums uint64, n uint32) uint32 {
	at := packedCountBytes(sums, uint64(n)) * 8
	n -= uint32(sums<<8>>(at&63)) & 0xff
	bits := (v >> (at & 63) & 0xff) * packedBytes & 0x8040201008040201
	ones := (bits + 0x7f7f7f7f7f7f7f7f) >> 7 & packedBytes
	return at + packedCountBytes(ones*packedBytes, uint64(n))
}

// A packedBlocks is the head of a record of several blocks; places are bits from its first byte.
type packedBlocks struct {
	shift     uint32 // a block has 1 << shift quanta
	biasBits  uint32
	offBits   uint32
	entryBits uint32
	indexAt   uint32
	blocksAt  uint32 // in bytes: what offsets count from
	least     uint32
	unit      uint32
	last      uint32 // the last block's number
}

func packedReadBlocks(record unsafe.Pointer, textLen uint32) (s packedBlocks) {
	head := *(*uint64)(record)
	base := &packedBases[head>>5&7]
	s.shift = uint32(head >> 8 & 31)
	s.offBits = uint32(head >> 13 & 31)
	s.biasBits = uint32(head >> 18 & 63)
	s.entryBits = packedBlockBits + s.biasBits + s.offBits
	s.indexAt = packedBlocksBits + 8*uint32(base.biasBytes)
	s.last = (textLen - 1) >> s.shift
	s.blocksAt = (s.indexAt + (s.last+1)*s.entryBits + 7) / 8
	s.least = uint32(base.base) + packedBits(record, packedBlocksBits, 8*uint32(base.biasBytes))
	s.unit = uint32(base.unit)
	return s
}

// block returns a block's place in bytes, its description and bias, and its last quantum.
func (s *packedBlocks) block(record unsafe.Pointer, textLen, number uint32) (at, entry, bias, last uint32) {
	entryAt := s.indexAt + number*s.entryBits
	word := packedWord(record, entryAt)
	entry = uint32(word)
	at = s.blocksAt + uint32(word>>packedBlockBits)&packedMask(s.offBits)
	bias = packedBits(record, entryAt+packedBlockBits+s.offBits, s.biasBits)
	last = 1<<s.shift - 1
	if number == s.last {
		last &= textLen - 1
	}
	return at, entry, bias, last
}

// packedReadOne returns the block of a record of one, and what its values are counted from.
func packedReadOne(record unsafe.Pointer, textLen uint32) (b packedBlock, least, unit uint32) {
	head := *(*uint64)(record)
	base := &packedBases[head>>5&7]
	p := add(record, 4+uintptr(base.biasBytes))
	least = uint32(base.base) + uint32(head>>packedOneBlockBits)&base.biasMask
	return packedReadBlock(p, uint32(head)>>8, textLen-1), least, uint32(base.unit)
}

func packedBlockValue(record unsafe.Pointer, textLen, pc uint32) int32 {
	if *(*uint8)(record)>>3&3 == packedOneBlock {
		head := *(*uint64)(record)
		base := &packedBases[head>>5&7]
		least := uint32(base.base) + uint32(head>>packedOneBlockBits)&base.biasMask
		val := packedFind(add(record, 4+uintptr(base.biasBytes)), uint32(head)>>8, textLen-1, pc)
		return int32(least + val*uint32(base.unit))
	}
	s := packedReadBlocks(record, textLen)
	at, entry, val, last := s.block(record, textLen, pc>>s.shift)
	if entry&63 != 0 {
		val += packedFind(add(record, uintptr(at)), entry, last, pc&(1<<s.shift-1))
	}
	return int32(s.least + val*s.unit)
}

func pctabMax(record unsafe.Pointer, textLen uint32) int32 {
	head := uint32(*(*uint16)(record))
	max := int32(-1 << 31)
	if head&7 != packedNoShortList || head>>3&3 < packedOneBlock {
		l := packedReadList(record, head, textLen)
		at := l.at + l.n*l.startBits
		for i := uint32(0); i <= l.n; i++ {
			if val := int32(l.least + packedBits(record, at, l.width)*l.unit); val > max {
				max = val
			}
			at += l.width
		}
		return max
	}
	if head>>3&3 == packedOneBlock {
		b, least, unit := packedReadOne(record, textLen)
		return b.max(least, unit)
	}
	s := packedReadBlocks(record, textLen)
	for number := uint32(0); number <= s.last; number++ {
		at, entry, bias, last := s.block(record, textLen, number)
		least := s.least + bias*s.unit
		val := int32(least)
		if entry&63 != 0 {
			b := packedReadBlock(add(record, uintptr(at)), entry, last)
			val = b.max(least, s.unit)
		}
		if val > max {
			max = val
		}
	}
	return max
}

// max returns the largest value.
func (b *packedBlock) max(least, unit uint32) int32 {
	max := int32(-1 << 31)
	at := b.runsAt
	for i := uint32(0); i <= b.starts; i++ {
		if val := int32(least + b.value(packedWord(b.p, at))*unit); val > max {
			max = val
		}
		at += b.field + b.low
	}
	return max
}
