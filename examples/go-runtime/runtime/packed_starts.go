// Reader of PC tables in packed-starts: a list whose starts are all compared at once, or blocks whose
// starts are in buckets.

package runtime

import (
	"runtime/internal/sys"
	"unsafe"
)

const (
	packedListHeadBits   = 11
	packedWord1Bits      = 61 // of starts in a list's first word
	packedOneBlock       = 14 // in the place of a list's number of starts
	packedOneBlockAt     = 7  // the block's description
	packedOneBlockBiasAt = 27
	packedBlocksHeadBits = 23
	packedHeadBiasBits   = 5 // of the bias, before those of a list
	packedBlockBits      = 20
	packedLowWidth32     = 31 // in the place of a low width
	packedHighBits       = 5
	packedEliasFano      = 2 // a block's search; 0 and 1: counts of 2 and 4 bits

	packedPairs   = 0x3333333333333333
	packedNibbles = 0x0f0f0f0f0f0f0f0f
	packedBytes   = 0x0101010101010101
)

// A packedBase is what values are counted from: base, plus a bias in the record, whose bits differ in
// lists and blocks. Values are stored divided by unit.
type packedBase struct {
	base      int32
	listMask  uint32
	blockMask uint32
	biasBits  uint16
	unit      uint16
}

var packedBases = [8]packedBase{
	{-2, 0, 0x1f, 0, 1}, {-1, 0, 0x1f, 0, 1}, {0, 0, 0x1f, 0, 8}, {0, 0, 0x1f, 0, 4},
	{0, 0xff, 0x1fff, 8, 1}, {0, 0xffff, 0x1fffff, 16, 1},
	{0, 0xffffff, 0x1fffffff, 24, 1}, {0, 0xffffffff, 0xffffffff, 32, 1},
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

func pctabValue(record unsafe.Pointer, textLen, pc uint32) int32 {
	head := uint32(*(*uint16)(record))
	n, width := head&15, head>>7&15
	if n >= packedOneBlock {
		return packedBlockValue(record, textLen, pc)
	}
	base := &packedBases[head>>4&7]
	nbits := uint32(sys.Len64(uint64((textLen - 1) | 8)))
	biasAt := packedListHeadBits + n*nbits
	at := biasAt + uint32(base.biasBits)
	mask := uint32(1)<<(nbits&63) - 1
	mask = packedMask(nbits)
	word := *(*uint64)(add(record, 1)) >> (packedListHeadBits - 8)
	if n*nbits <= packedWord1Bits {
		for n > 0 && uint32(word)&mask <= pc {
			word >>= nbits & 63
			at += width
			n--
		}
	} else {
		start := uint32(packedListHeadBits)
		for n > 0 && uint32(packedWord(record, start))&mask <= pc {
			start += nbits
			at += width
			n--
		}
	}
	val := packedBits(record, at, width)*uint32(base.unit) + uint32(base.base)
	if base.biasBits != 0 {
		val += uint32(packedWord(record, biasAt)) & base.listMask
	}
	return int32(val)
}

// packedInBlock returns the value of a block that has starts, as blocks count it, at a quantum from its
// start. entry is the block's description, last the number of its last quantum.
func packedInBlock(p unsafe.Pointer, entry, last, quantum uint32) uint32 {
	starts, low := entry&63, entry>>6&15
	bucket := quantum >> low
	buckets := last>>low + 1
	word := *(*uint64)(p)
	var i, n, at uint32
	switch search := entry >> 18 & 3; search {
	case packedEliasFano:
		i, n = packedSelected(p, bucket)
		at = starts + buckets
	case 0:
		shift := 2 * bucket & 63
		sum := word & (1<<shift - 1)
		sum = sum&packedPairs + sum>>2&packedPairs
		i = uint32((sum&packedNibbles + sum>>4&packedNibbles) * packedBytes >> 56)
		n = uint32(word>>shift) & 3
		at = 2 * buckets
	default:
		shift := 4 * bucket & 63
		sum := word & (1<<shift - 1)
		i = uint32((sum&packedNibbles + sum>>4&packedNibbles) * packedBytes >> 56)
		n = uint32(word>>shift) & 15
		at = 4 * buckets
	}
	fieldsAt := at + starts*low
	at += i * low
	for rest := quantum & (1<<low - 1); n > 0 && packedBits(p, at, low) <= rest; n-- {
		at += low
		i++
	}
	return packedField(p, entry, fieldsAt, i)
}

// packedField returns the value of run i of a block that has starts.
func packedField(p unsafe.Pointer, entry, fieldsAt, i uint32) uint32 {
	lowWidth, numberBits := entry>>10&31, entry>>15&7
	if lowWidth == packedLowWidth32 {
		lowWidth = 32
	}
	nbits := lowWidth + numberBits
	field := packedBits(p, fieldsAt+i*nbits, nbits)
	if numberBits == 0 {
		return field
	}
	highsAt := fieldsAt + (entry&63+1)*nbits
	highBits := packedBits(p, highsAt, packedHighBits)
	high := packedBits(p, highsAt+packedHighBits+field>>lowWidth*highBits, highBits)
	return high<<lowWidth | field&packedMask(lowWidth)
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
	base := &packedBases[head>>4&7]
	s.shift = uint32(head >> 7 & 31)
	s.offBits = uint32(head >> 12 & 31)
	s.biasBits = uint32(head >> 17 & 63)
	s.entryBits = packedBlockBits + s.biasBits + s.offBits
	s.indexAt = packedBlocksHeadBits + packedHeadBiasBits + uint32(base.biasBits)
	s.last = (textLen - 1) >> s.shift
	s.blocksAt = (s.indexAt + (s.last+1)*s.entryBits + 7) / 8
	s.least = uint32(base.base) + uint32(head>>packedBlocksHeadBits)&base.blockMask
	s.unit = uint32(base.unit)
	return s
}

// block returns a block's place in bytes, its description and bias, and its last quantum.
func (s *packedBlocks) block(record unsafe.Pointer, textLen, number uint32) (at, entry, bias, last uint32) {
	entryAt := s.indexAt + number*s.entryBits
	entry = uint32(packedWord(record, entryAt))
	bias = packedBits(record, entryAt+packedBlockBits, s.biasBits)
	at = s.blocksAt + packedBits(record, entryAt+packedBlockBits+s.biasBits, s.offBits)
	last = 1<<s.shift - 1
	if number == s.last {
		last &= textLen - 1
	}
	return at, entry, bias, last
}

func packedBlockValue(record unsafe.Pointer, textLen, pc uint32) int32 {
	head := *(*uint64)(record)
	if head&15 == packedOneBlock {
		base := &packedBases[head>>4&7]
		least := uint32(base.base) + uint32(head>>packedOneBlockBiasAt)&base.blockMask
		p := add(record, 4+uintptr(base.biasBits)/8)
		val := packedInBlock(p, uint32(head)>>packedOneBlockAt, textLen-1, pc)
		return int32(least + val*uint32(base.unit))
	}
	base := &packedBases[head>>4&7]
	shift, offBits, biasBits := uint32(head>>7&31), uint32(head>>12&31), uint32(head>>17&63)
	entryBits := packedBlockBits + biasBits + offBits
	indexAt := packedBlocksHeadBits + packedHeadBiasBits + uint32(base.biasBits)
	lastBlock, number := (textLen-1)>>shift, pc>>shift
	at := indexAt + number*entryBits
	entry := uint32(packedWord(record, at))
	val := packedBits(record, at+packedBlockBits, biasBits)
	if entry&63 != 0 {
		last := uint32(1)<<shift - 1
		quantum := pc & last
		if number == lastBlock {
			last &= textLen - 1
		}
		off := packedBits(record, at+packedBlockBits+biasBits, offBits)
		off += (indexAt + (lastBlock+1)*entryBits + 7) / 8
		val += packedInBlock(add(record, uintptr(off)), entry, last, quantum)
	}
	least := uint32(base.base) + uint32(head>>packedBlocksHeadBits)&base.blockMask
	return int32(least + val*uint32(base.unit))
}

func pctabMax(record unsafe.Pointer, textLen uint32) int32 {
	head := uint32(*(*uint16)(record))
	n, width := head&15, head>>7&15
	max := int32(-1 << 31)
	if n < packedOneBlock {
		base := &packedBases[head>>4&7]
		at := packedListHeadBits + n*uint32(sys.Len64(uint64((textLen-1)|8)))
		least := uint32(base.base) + uint32(packedWord(record, at))&base.listMask
		at += uint32(base.biasBits)
		for i := uint32(0); i <= n; i++ {
			if val := int32(least + packedBits(record, at, width)*uint32(base.unit)); val > max {
				max = val
			}
			at += width
		}
		return max
	}
	if n == packedOneBlock {
		head := *(*uint64)(record)
		base := &packedBases[head>>4&7]
		least := uint32(base.base) + uint32(head>>packedOneBlockBiasAt)&base.blockMask
		p := add(record, 4+uintptr(base.biasBits)/8)
		return packedBlockMax(p, uint32(head)>>packedOneBlockAt, textLen-1, least, uint32(base.unit))
	}
	s := packedReadBlocks(record, textLen)
	for number := uint32(0); number <= s.last; number++ {
		at, entry, bias, last := s.block(record, textLen, number)
		least := s.least + bias*s.unit
		val := int32(least)
		if entry&63 != 0 {
			val = packedBlockMax(add(record, uintptr(at)), entry, last, least, s.unit)
		}
		if val > max {
			max = val
		}
	}
	return max
}

// packedBlockMax returns the largest value of a block that has starts.
func packedBlockMax(p unsafe.Pointer, entry, last, least, unit uint32) int32 {
	starts, low := entry&63, entry>>6&15
	fieldsAt := starts * low
	if search := entry >> 18 & 3; search == packedEliasFano {
		fieldsAt += starts + last>>low + 1
	} else {
		fieldsAt += (last>>low + 1) << (search + 1)
	}
	max := int32(-1 << 31)
	for i := uint32(0); i <= starts; i++ {
		if val := int32(least + packedField(p, entry, fieldsAt, i)*unit); val > max {
			max = val
		}
	}
	return max
}
