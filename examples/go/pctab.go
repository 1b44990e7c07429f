// Package pctab reads and writes tables that map program counters to values, in three encodings:
// varint-delta (what the Go linker writes), linear-index (proposed in its place) and
// packed-starts (bakeoff's own). The encodings are specified in codecs/pcdata/README.md.
//
// A record is the encoding of one table. Lookups read a record at an offset of an area of records,
// allocate nothing, use no unsafe code, and expect that the record was checked by the Decode
// function of its encoding. PCs and lengths are in quanta of the architecture. An area is followed
// by 64 bytes of zeros, so that lookups may load 8 bytes at any bit of a record.
package pctab

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// AreaPadding is the number of zeros that follow an area.
const AreaPadding = 64

// A Run has a value and the PC, in quanta, from which the value applies. The first run of a table has
// PC 0. PCs ascend, and neighbouring runs have different values.
type Run struct {
	PC    uint32
	Value int32
}

// Errors that several encodings report.
var (
	errPastArea = errors.New("record runs past the area's end")
	errAscend   = errors.New("starts of runs do not ascend below the text's end")
	errNoChange = errors.New("start of a run does not change the value")
)

// An Encoding is one way to store a table.
type Encoding struct {
	Name string

	// Append appends the record of a table whose text has textLen quanta. It returns false when
	// the encoding cannot hold the table; dst is unchanged then.
	Append func(dst []byte, runs []Run, textLen uint32) ([]byte, bool)

	// Decode checks the record at offset off of the first areaLen bytes of data, and returns its
	// runs and the offset of the byte after it. It accepts all bytes: a record that breaks a rule
	// of the specification is an error.
	Decode func(data []byte, areaLen, off int, textLen uint32) (runs []Run, end int, err error)

	// Lookup returns the value at pc, which is below textLen.
	Lookup func(data []byte, off, textLen, pc uint32) int32
}

// Encodings lists them: the status quo, the proposal, and bakeoff's own.
var Encodings = []Encoding{
	{"varint-delta", AppendVarint, DecodeVarint, LookupVarint},
	{"linear-index", AppendLinear, DecodeLinear, LookupLinear},
	{"packed-starts", AppendPacked, DecodePacked, LookupPacked},
}

// bitsAt returns n bits, at most 32, from bit `at` of data on. Bit b of data is bit b % 8 of byte
// b / 8.
func bitsAt(data []byte, at uint64, n uint) uint32 {
	return uint32(binary.LittleEndian.Uint64(data[at/8:]) >> (at % 8) & (1<<(n&63) - 1))
}

// lowMask returns a number of n 1 bits, at most 32.
func lowMask(n uint) uint32 {
	return uint32(uint64(1)<<(n&63) - 1)
}

// width returns the number of binary digits of x; 0 for 0.
func width(x uint32) uint {
	return uint(bits.Len32(x))
}

// A bitWriter appends bits to bytes, the least significant first.
type bitWriter struct {
	dst   []byte
	word  uint64
	nbits uint // of word; below 8 between calls
}

func (w *bitWriter) put(v uint32, nbits uint) {
	w.word |= uint64(v) << w.nbits
	w.nbits += nbits
	for w.nbits >= 8 {
		w.dst = append(w.dst, byte(w.word))
		w.word >>= 8
		w.nbits -= 8
	}
}

// align appends 0 bits up to the next byte.
func (w *bitWriter) align() {
	if w.nbits > 0 {
		w.put(0, 8-w.nbits)
	}
}

// numberAt returns the unsigned little-endian number of the given bytes.
func numberAt(p []byte) uint32 {
	v := uint32(0)
	for i := len(p) - 1; i >= 0; i-- {
		v = v<<8 | uint32(p[i])
	}
	return v
}
