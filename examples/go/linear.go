package pctab

import (
	"encoding/binary"
	"errors"
)

// A chunk has this many quanta.
const (
	chunkShift  = 8
	chunkQuanta = 1 << chunkShift
)

// In the place of the first index entry: entries of 2 and of 4 bytes follow.
const (
	indexU16 = 0xfe
	indexU32 = 0xff
)

// codeBytes is the number of bytes of a value with a length code.
var codeBytes = [4]uint32{0, 1, 2, 4}

// codesBytes is the number of bytes of the first j values of four length codes in a byte.
var codesBytes = makeCodesBytes()

func makeCodesBytes() (t [5][256]uint8) {
	for b := range t[0] {
		for j := 1; j <= 4; j++ {
			t[j][b] = t[j-1][b] + uint8(codeBytes[b>>(2*(j-1))&3])
		}
	}
	return t
}

func valueCode(v int32) byte {
	switch {
	case v == int32(int8(v)):
		return 1
	case v == int32(int16(v)):
		return 2
	}
	return 3
}

// AppendLinear appends a table in linear-index: chunks of 256 quanta after an index of their
// offsets. Chunks of one value are stored once.
func AppendLinear(dst []byte, runs []Run, textLen uint32) ([]byte, bool) {
	var chunks []byte
	var offsets []uint32
	constants := map[int32]uint32{}
	first, largest := 0, uint32(0)
	for start := uint64(0); start < uint64(textLen); start += chunkQuanta {
		for first+1 < len(runs) && uint64(runs[first+1].PC) <= start {
			first++
		}
		end := first + 1
		for end < len(runs) && uint64(runs[end].PC) < start+chunkQuanta {
			end++
		}
		off := uint32(len(chunks))
		earlier, shared := constants[runs[first].Value]
		if end == first+1 && shared {
			off = earlier
		} else {
			if end == first+1 {
				constants[runs[first].Value] = off
			}
			chunks = appendChunk(chunks, runs[first:end])
		}
		offsets = append(offsets, off)
		if off > largest {
			largest = off
		}
		first = end - 1
	}
	entries := offsets[1:]
	switch {
	case len(entries) == 0:
	case largest <= 0xff && entries[0] < indexU16:
		for _, off := range entries {
			dst = append(dst, byte(off))
		}
	case largest <= 0xffff:
		dst = append(dst, indexU16)
		for _, off := range entries {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(off))
		}
	default:
		dst = append(dst, indexU32)
		for _, off := range entries {
			dst = binary.LittleEndian.AppendUint32(dst, off)
		}
	}
	return append(dst, chunks...), true
}

// appendChunk appends a chunk; runs[0] covers its first quantum, the others start later in it.
func appendChunk(dst []byte, runs []Run) []byte {
	dst = append(dst, byte(len(runs)-1))
	for _, run := range runs[1:] {
		dst = append(dst, byte(run.PC))
	}
	codes := len(dst)
	dst = append(dst, make([]byte, (len(runs)+3)/4)...)
	for i, run := range runs {
		v := run.Value
		if i > 0 {
			v -= runs[0].Value
		}
		code := valueCode(v)
		dst[codes+i/4] |= code << (i % 4 * 2)
		for b := uint32(0); b < codeBytes[code]; b++ {
			dst = append(dst, byte(v>>(8*b)))
		}
	}
	return dst
}

// signedAt returns the signed value with a length code at p.
func signedAt(p []byte, code byte) int32 {
	switch code {
	case 1:
		return int32(int8(p[0]))
	case 2:
		return int32(int16(binary.LittleEndian.Uint16(p)))
	}
	return int32(binary.LittleEndian.Uint32(p))
}

// DecodeLinear is linear-index' Decode.
func DecodeLinear(data []byte, areaLen, off int, textLen uint32) (runs []Run, end int, err error) {
	area := data[:areaLen]
	nChunks := (uint64(textLen) + chunkQuanta - 1) >> chunkShift
	entry, index := 1, off
	if nChunks > 1 {
		if off == areaLen {
			return nil, off, errors.New("ends inside the chunk index")
		}
		switch area[off] {
		case indexU16:
			entry, index = 2, off+1
		case indexU32:
			entry, index = 4, off+1
		}
	}
	if (nChunks-1)*uint64(entry) > uint64(areaLen-index) {
		return nil, off, errors.New("chunk index is longer than the area")
	}
	base := index + int(nChunks-1)*entry
	end = base
	for c := uint64(0); c < nChunks; c++ {
		at := base
		if c > 0 {
			i := index + int(c-1)*entry
			at += int(numberAt(area[i : i+entry]))
		}
		if at > end {
			return nil, index, errors.New("chunk offset leaves a gap")
		}
		if at < end && area[at] != 0 {
			return nil, index, errors.New("chunk offset repeats a chunk of many values")
		}
		again := at < end
		var next int
		runs, next, err = decodeChunk(area, at, uint32(c<<chunkShift), textLen, runs)
		if err != nil {
			return nil, at, err
		}
		if !again {
			end = next
		} else if next > end {
			return nil, at, errors.New("repeated chunk ends after the chunks before it")
		}
	}
	return runs, end, nil
}

func decodeChunk(area []byte, at int, start, textLen uint32, runs []Run) ([]Run, int, error) {
	errChunk := errors.New("chunk runs past the area's end")
	if at == len(area) {
		return nil, at, errChunk
	}
	n := int(area[at])
	pcs := at + 1
	codes := pcs + n
	p := codes + (n+4)/4
	if p > len(area) {
		return nil, at, errChunk
	}
	if (n+1)%4 != 0 && area[p-1]>>((n+1)%4*2) != 0 {
		return nil, at, errors.New("bits after the value lengths are not 0")
	}
	var bias, previous int32
	for i := 0; i <= n; i++ {
		code := area[codes+i/4] >> (i % 4 * 2) & 3
		if code == 0 {
			return nil, at, errors.New("value of length 0")
		}
		if int(codeBytes[code]) > len(area)-p {
			return nil, at, errors.New("value runs past the area's end")
		}
		v := bias + signedAt(area[p:], code)
		p += int(codeBytes[code])
		pc := start
		if i == 0 {
			bias = v
		} else {
			low := area[pcs+i-1]
			if low == 0 || i > 1 && low <= area[pcs+i-2] {
				return nil, at, errors.New("PCs of a chunk do not ascend")
			}
			if v == previous {
				return nil, at, errors.New("listed PC does not change the value")
			}
			pc += uint32(low)
			if pc >= textLen {
				return nil, at, errors.New("PC past the text's end")
			}
		}
		if len(runs) == 0 || runs[len(runs)-1].Value != v {
			runs = append(runs, Run{pc, v})
		}
		previous = v
	}
	return runs, p, nil
}

// LookupLinear is linear-index' Lookup.
func LookupLinear(data []byte, off, textLen, pc uint32) int32 {
	p := data[off:]
	if n := (textLen - 1) >> chunkShift; n > 0 {
		c := pc >> chunkShift
		at := n
		if first := p[0]; first < indexU16 {
			if c > 0 {
				at += uint32(p[c-1])
			}
		} else if first == indexU16 {
			at = 2*n + 1
			if c > 0 {
				at += uint32(binary.LittleEndian.Uint16(p[2*c-1:]))
			}
		} else {
			at = 4*n + 1
			if c > 0 {
				at += binary.LittleEndian.Uint32(p[4*c-3:])
			}
		}
		p = p[at:]
	}
	n := uint32(p[0])
	pcs := p[1 : 1+n]
	i, low := uint32(0), byte(pc)
	for i < n && pcs[i] <= low {
		i++
	}
	codes := p[1+n:]
	values := codes[(n+4)/4:]
	bias := signedAt(values, codes[0]&3)
	if i == 0 {
		return bias
	}
	at, j := uint32(0), uint32(0)
	for ; j+4 <= i; j += 4 {
		at += uint32(codesBytes[4][codes[j/4]])
	}
	at += uint32(codesBytes[i-j][codes[j/4]])
	return bias + signedAt(values[at:], codes[i/4]>>(i%4*2)&3)
}
