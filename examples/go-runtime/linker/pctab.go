// PC tables of a linked program: the linker collects those of the compiler, which are in varint-delta,
// and bakeoff encodes them in another encoding.

package ld

import (
	"bytes"
	"cmd/link/internal/loader"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// A pctabArea becomes the program's pctab.
type pctabArea struct {
	text    bytes.Buffer   // the tables as a document of bakeoff
	numbers map[string]int // of the tables in it: equal ones occur once
	tables  map[loader.Sym]int
	data    []byte
}

func newPctabArea(quantum int) *pctabArea {
	a := &pctabArea{numbers: map[string]int{}, tables: map[loader.Sym]int{}}
	fmt.Fprintf(&a.text, "pcdata 1\nquantum %d\n", quantum)
	return a
}

// add adds a table; one of no bytes has offset 0.
func (a *pctabArea) add(ldr *loader.Loader, table loader.Sym, quantum int) {
	compiled := ldr.Data(table)
	if len(compiled) == 0 {
		ldr.SetSymValue(table, 0)
		return
	}
	number, known := a.numbers[string(compiled)]
	if !known {
		number = len(a.numbers)
		a.numbers[string(compiled)] = number
		// Encodings do not depend on the kind, nor on the number of references.
		fmt.Fprintf(&a.text, "table %d kind=pcsp refs=1\n", int(textLenOfTable(compiled))*quantum)
		eachRun(compiled, func(pc uint32, value int32) {
			fmt.Fprintf(&a.text, "%d %d\n", int(pc)*quantum, value)
		})
	}
	a.tables[table] = number
}

// encode makes the area with bakeoff, and sets the offset of each table in it.
func (a *pctabArea) encode(ldr *loader.Loader, bakeoff, codec string) {
	folder, err := os.MkdirTemp("", "pctab")
	if err != nil {
		Exitf("%v", err)
	}
	defer os.RemoveAll(folder)
	text, payload := filepath.Join(folder, "text"), filepath.Join(folder, "payload")
	if err := os.WriteFile(text, a.text.Bytes(), 0o600); err != nil {
		Exitf("%v", err)
	}
	command := exec.Command(bakeoff, "encode", "--raw", codec, text, "-o", payload)
	if said, err := command.CombinedOutput(); err != nil {
		Exitf("%v: %v: %s", command, err, said)
	}
	frame, err := os.ReadFile(payload)
	if err != nil {
		Exitf("%v", err)
	}
	// The frame: codecs/pcdata/README.md. Offset 0 means no table, so a byte precedes the records.
	n, size := int(binary.LittleEndian.Uint32(frame[4:])), int(binary.LittleEndian.Uint32(frame[8:]))
	if n != len(a.numbers) {
		Exitf("%v: %d tables of %d", command, n, len(a.numbers))
	}
	a.data = append([]byte{0}, frame[16:16+size]...)
	directory := frame[(16+size+7)&^7+64:]
	for table, number := range a.tables {
		ldr.SetSymValue(table, int64(binary.LittleEndian.Uint32(directory[8*number:]))+1)
	}
}

// eachRun calls f for each run of a table in varint-delta, and returns where the last one ends, in
// quanta.
func eachRun(compiled []byte, f func(pc uint32, value int32)) (textLen uint32) {
	value := int32(-1)
	for first := true; ; first = false {
		delta, n := binary.Uvarint(compiled)
		if delta == 0 && !first {
			return textLen
		}
		length, m := binary.Uvarint(compiled[n:])
		value += int32(delta>>1) ^ -int32(delta&1)
		f(textLen, value)
		textLen += uint32(length)
		compiled = compiled[n+m:]
	}
}

func textLenOfTable(compiled []byte) uint32 {
	return eachRun(compiled, func(uint32, int32) {})
}

// textLenOf returns the text length of a function, which all its tables share.
func textLenOf(ldr *loader.Loader, function loader.Sym, tables []loader.Sym) (textLen uint32) {
	for _, table := range tables {
		compiled := ldr.Data(table)
		if len(compiled) == 0 {
			continue
		}
		n := textLenOfTable(compiled)
		if textLen != 0 && n != textLen {
			Exitf("%s: PC tables of %d and %d quanta", ldr.SymName(function), textLen, n)
		}
		textLen = n
	}
	return textLen
}
