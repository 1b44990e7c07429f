// PC tables of a linked program: the linker reads those of the compiler, which are in varint-delta,
// and stores them in another encoding.

package ld

import (
	"cmd/link/internal/loader"
	"cmd/link/internal/pctab"
	"encoding/binary"
	"fmt"
)

// A pctabArea is what the program's pctab contains.
type pctabArea struct {
	encoding *pctab.Encoding
	data     []byte
	offsets  map[string]int64 // of each record: equal ones are stored once
}

func newPctabArea(name string) *pctabArea {
	for i := range pctab.Encodings {
		if pctab.Encodings[i].Name == name {
			return &pctabArea{&pctab.Encodings[i], make([]byte, 1), map[string]int64{}}
		}
	}
	panic("no encoding of PC tables: " + name)
}

// add stores a table and returns its offset; 0 for a table of no bytes. It reads the record again
// and compares.
func (a *pctabArea) add(compiled []byte) int64 {
	textLen := textLenOfTable(compiled)
	if textLen == 0 {
		return 0
	}
	runs, _, err := pctab.DecodeVarint(compiled, len(compiled), 0, textLen)
	if err != nil {
		panic(fmt.Sprintf("PC table of the compiler: %v", err))
	}
	record, ok := a.encoding.Append(nil, runs, textLen)
	if !ok {
		panic(fmt.Sprintf("%s cannot hold a PC table of %d runs", a.encoding.Name, len(runs)))
	}
	padded := append(record[:len(record):len(record)], make([]byte, pctab.AreaPadding)...)
	again, _, err := a.encoding.Decode(padded, len(record), 0, textLen)
	if err != nil || len(again) != len(runs) {
		panic(fmt.Sprintf("%s: %d runs of %d: %v", a.encoding.Name, len(again), len(runs), err))
	}
	for i := range runs {
		if runs[i] != again[i] {
			panic(fmt.Sprintf("%s: run %d is %v, not %v", a.encoding.Name, i, again[i], runs[i]))
		}
	}
	off, stored := a.offsets[string(record)]
	if !stored {
		off = int64(len(a.data))
		a.offsets[string(record)] = off
		a.data = append(a.data, record...)
	}
	return off
}

// textLenOfTable returns where the last run of a table in varint-delta ends, in quanta.
func textLenOfTable(compiled []byte) (textLen uint32) {
	for first := true; len(compiled) > 0; first = false {
		delta, n := binary.Uvarint(compiled)
		if delta == 0 && !first {
			return textLen
		}
		length, m := binary.Uvarint(compiled[n:])
		textLen += uint32(length)
		compiled = compiled[n+m:]
	}
	return textLen
}

// textLenOf returns the text length of a function, which all its tables share.
func textLenOf(ldr *loader.Loader, function loader.Sym, tables []loader.Sym) (textLen uint32) {
	for _, table := range tables {
		n := textLenOfTable(ldr.Data(table))
		if textLen == 0 {
			textLen = n
		}
		if n != 0 && n != textLen {
			panic(fmt.Sprintf("%s: PC tables of %d and %d quanta", ldr.SymName(function), textLen, n))
		}
	}
	return textLen
}
