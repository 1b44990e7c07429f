// Reader of PC tables in linear-index: chunks of 256 quanta after an index of their offsets.

package runtime

import "unsafe"

// In the place of the first index entry: entries of 2 and of 4 bytes follow.
const (
	linearU16 = 0xfe
	linearU32 = 0xff
)

// linearChunk returns chunk c of a record of last + 1 chunks, last > 0.
func linearChunk(record unsafe.Pointer, last, c uint32) unsafe.Pointer {
	n, i := uintptr(last), uintptr(c)
	switch first := *(*uint8)(record); {
	case first < linearU16:
		if c == 0 {
			return add(record, n)
		}
		return add(record, n+uintptr(*(*uint8)(add(record, i-1))))
	case first == linearU16:
		if c == 0 {
			return add(record, 1+2*n)
		}
		return add(record, 1+2*n+uintptr(*(*uint16)(add(record, 2*i-1))))
	}
	if c == 0 {
		return add(record, 1+4*n)
	}
	return add(record, 1+4*n+uintptr(*(*uint32)(add(record, 4*i-3))))
}

// linearSigned returns the signed value with a length code at p.
func linearSigned(p unsafe.Pointer, code uint8) int32 {
	switch code {
	case 1:
		return int32(*(*int8)(p))
	case 2:
		return int32(*(*int16)(p))
	}
	return *(*int32)(p)
}

// linearBytes returns the bytes of the first n of 32 values with the length codes of a word: 1, 2
// and 4 bytes for the codes 1, 2 and 3.
func linearBytes(codes uint64, n uint32) uintptr {
	const ones, pairs, nibbles = 0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f
	codes &= 1<<(2*n) - 1
	high := codes >> 1 & ones
	low := codes & ones
	low += low & high
	low = low&pairs + low>>2&pairs
	high = high&pairs + high>>2&pairs
	sum := low + 2*high
	sum = sum&nibbles + sum>>4&nibbles
	return uintptr(sum * 0x0101010101010101 >> 56)
}

func pctabValue(record unsafe.Pointer, textLen, pc uint32) int32 {
	if last := (textLen - 1) >> 8; last > 0 {
		record = linearChunk(record, last, pc>>8)
	}
	n := uintptr(*(*uint8)(record))
	pcs := add(record, 1)
	i := uintptr(0)
	for i < n && *(*uint8)(add(pcs, i)) <= uint8(pc) {
		i++
	}
	codes := add(pcs, n)
	values := add(codes, (n+4)/4)
	bias := linearSigned(values, *(*uint8)(codes)&3)
	if i == 0 {
		return bias
	}
	left := uint32(i)
	for at := codes; ; at = add(at, 8) {
		word := *(*uint64)(at)
		if left < 32 {
			values = add(values, linearBytes(word, left))
			return bias + linearSigned(values, uint8(word>>(2*left))&3)
		}
		values = add(values, linearBytes(word, 32))
		left -= 32
	}
}

func pctabMax(record unsafe.Pointer, textLen uint32) int32 {
	last := (textLen - 1) >> 8
	max := int32(-1 << 31)
	for c := uint32(0); c <= last; c++ {
		chunk := record
		if last > 0 {
			chunk = linearChunk(record, last, c)
		}
		n := uintptr(*(*uint8)(chunk))
		codes := add(chunk, 1+n)
		values := add(codes, (n+4)/4)
		bias := int32(0)
		for i := uintptr(0); i <= n; i++ {
			code := *(*uint8)(add(codes, i/4)) >> (i % 4 * 2) & 3
			val := bias + linearSigned(values, code)
			if i == 0 {
				bias = val
			}
			if val > max {
				max = val
			}
			values = add(values, uintptr(1)<<(code-1))
		}
	}
	return max
}
