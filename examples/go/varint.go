package pctab

import "errors"

// AppendVarint appends a table in varint-delta: for each run the zigzag of its difference to the
// value before it, and its length; then a byte of 0.
func AppendVarint(dst []byte, runs []Run, textLen uint32) ([]byte, bool) {
	previous := int32(-1)
	for i, run := range runs {
		end := textLen
		if i+1 < len(runs) {
			end = runs[i+1].PC
		}
		delta := run.Value - previous
		dst = appendVarint(dst, uint32(delta<<1)^uint32(delta>>31))
		dst = appendVarint(dst, end-run.PC)
		previous = run.Value
	}
	return append(dst, 0), true
}

func appendVarint(dst []byte, v uint32) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

// DecodeVarint is varint-delta's Decode.
func DecodeVarint(data []byte, areaLen, off int, textLen uint32) (runs []Run, end int, err error) {
	area := data[:areaLen]
	pc, value := uint32(0), int32(-1)
	for {
		delta, next, err := checkVarint(area, off)
		if err != nil {
			return nil, off, err
		}
		if delta == 0 && pc > 0 {
			if pc != textLen {
				return nil, off, errors.New("record ends before the text does")
			}
			return runs, next, nil
		}
		off = next
		length, next, err := checkVarint(area, off)
		if err != nil {
			return nil, off, err
		}
		if length == 0 {
			return nil, off, errors.New("run of length 0")
		}
		if length > textLen-pc {
			return nil, off, errors.New("run ends past the text's end")
		}
		off = next
		value += unzigzag(delta)
		runs = append(runs, Run{pc, value})
		pc += length
	}
}

func unzigzag(u uint32) int32 {
	return int32(u>>1) ^ -int32(u&1)
}

func checkVarint(area []byte, off int) (v uint32, end int, err error) {
	for shift := uint(0); ; shift += 7 {
		if off == len(area) {
			return 0, off, errors.New("varint runs past the end")
		}
		b := area[off]
		off++
		if shift == 28 && b > 0x0f {
			return 0, off, errors.New("varint overflows its type")
		}
		v |= uint32(b&0x7f) << shift
		if b < 0x80 {
			if b == 0 && shift > 0 {
				return 0, off, errors.New("varint is not in its shortest form")
			}
			return v, off, nil
		}
	}
}

// LookupVarint is varint-delta's Lookup; the encoding does not need textLen.
func LookupVarint(data []byte, off, _, pc uint32) int32 {
	p := data[off:]
	value, end := int32(-1), uint32(0)
	for {
		delta := uint32(p[0])
		n := 1
		if delta >= 0x80 {
			delta, n = readVarint(p)
		}
		p = p[n:]
		length := uint32(p[0])
		n = 1
		if length >= 0x80 {
			length, n = readVarint(p)
		}
		p = p[n:]
		value += unzigzag(delta)
		end += length
		if pc < end {
			return value
		}
	}
}

func readVarint(p []byte) (v uint32, n int) {
	for shift := uint(0); ; shift += 7 {
		b := p[n]
		n++
		v |= uint32(b&0x7f) << (shift & 31)
		if b < 0x80 {
			return v, n
		}
	}
}
