// Checker compares a text form that `bakeoff import pcdata` wrote with the Go program that it was
// made from.
//
//	checker PROGRAM IMPORT.txt
//
// It reads the program's function table on its own, and calls Go's debug/gosym. What must hold:
//
//   - the document has just the tables that the functions refer to, in the order of their offsets,
//     with the first function's kind and the number of functions;
//   - each table has the runs that a step-by-step reading of its bytes finds, and the Go linker's
//     encoding of these runs gives those bytes again (but for tables with empty runs, which are
//     counted);
//   - at PCs spread over all functions, the document's pcfile and pcln tables say the file and line
//     that gosym says.
package main

import (
	"bufio"
	"bytes"
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

// ---- the document -------------------------------------------------------------------------------

type run struct {
	pc    uint64
	value int32
}

type table struct {
	textLen uint64
	kind    string
	refs    int
	runs    []run
}

func (t *table) at(pc uint64) int32 {
	i := sort.Search(len(t.runs), func(i int) bool { return t.runs[i].pc > pc })
	return t.runs[i-1].value
}

// encode follows the Go linker's rule; lengths are in quanta.
func (t *table) encode(quantum uint64) []byte {
	var out []byte
	var number [binary.MaxVarintLen64]byte
	last := int32(-1)
	for i, r := range t.runs {
		end := t.textLen
		if i+1 < len(t.runs) {
			end = t.runs[i+1].pc
		}
		delta := r.value - last // wraps
		zigzag := uint32(delta)<<1 ^ uint32(delta>>31)
		out = append(out, number[:binary.PutUvarint(number[:], uint64(zigzag))]...)
		out = append(out, number[:binary.PutUvarint(number[:], (end-r.pc)/quantum)]...)
		last = r.value
	}
	return append(out, 0)
}

func readDocument(name string) (quantum uint64, tables []*table, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var t table
		var r run
		line := lines.Text()
		switch {
		case line == "pcdata 1" || line == "" || line[0] == '#':
		case strings.HasPrefix(line, "quantum "):
			_, err = fmt.Sscanf(line, "quantum %d", &quantum)
		case strings.HasPrefix(line, "table "):
			_, err = fmt.Sscanf(line, "table %d kind=%s refs=%d", &t.textLen, &t.kind, &t.refs)
			tables = append(tables, &t)
		case len(tables) > 0:
			_, err = fmt.Sscanf(line, "%d %d", &r.pc, &r.value)
			last := tables[len(tables)-1]
			last.runs = append(last.runs, r)
		default:
			err = errors.New("a run before the first table")
		}
		if err != nil {
			return 0, nil, fmt.Errorf("%s: %q: %w", name, line, err)
		}
	}
	return quantum, tables, lines.Err()
}

// ---- the program --------------------------------------------------------------------------------

type program struct {
	order              binary.ByteOrder
	data               []byte // the function table
	magic              uint32
	quantum, word      uint64
	text               uint64 // where the text starts
	cus, files, pctab  []byte
	functions          []function
	knownToGosym       bool
	nonCanonicalTables int
}

type function struct {
	pc     uint64
	cu     uint32
	tables []uint32 // offsets: pcsp, pcfile, pcln, pcdata0, ...
}

func (p *program) number(at []byte, nbytes uint64) uint64 {
	if nbytes == 4 {
		return uint64(p.order.Uint32(at))
	}
	return p.order.Uint64(at)
}

// symbol returns the address of a symbol, 0 if the program is stripped.
func symbol(file *elf.File, name string) uint64 {
	symbols, _ := file.Symbols()
	for _, s := range symbols {
		if s.Name == name {
			return s.Value
		}
	}
	return 0
}

// locate finds the function table by its section or, where the linker has merged that away, by its symbol.
func locate(file *elf.File) ([]byte, error) {
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if section := file.Section(name); section != nil {
			return section.Data()
		}
	}
	at, section := symbol(file, "runtime.pclntab"), file.Section(".data.rel.ro")
	if at == 0 || section == nil || at < section.Addr || at >= section.Addr+section.Size {
		return nil, errors.New("no function table")
	}
	data, err := section.Data()
	return data[at-section.Addr:], err
}

func readProgram(name string) (*program, error) {
	file, err := elf.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p := &program{order: file.ByteOrder}
	if p.data, err = locate(file); err != nil {
		return nil, err
	}
	if p.text = symbol(file, "runtime.text"); p.text == 0 {
		p.text = file.Section(".text").Addr
	}
	p.magic = p.order.Uint32(p.data)
	p.quantum, p.word = uint64(p.data[6]), uint64(p.data[7])
	p.readFunctions()
	return p, nil
}

func (p *program) readFunctions() {
	header := func(i uint64) uint64 { return p.number(p.data[8+i*p.word:], p.word) }
	n, entries, records := header(0), p.data[8+p.word:], p.data
	p.pctab = p.data
	entry, skipped, narrow := p.word, 4, false
	switch p.magic {
	case 0xfffffffb:
	case 0xfffffffa:
		p.cus, p.files, p.pctab = p.data[header(3):], p.data[header(4):], p.data[header(5):]
		entries, skipped = p.data[header(6):], 8
		records = entries
	case 0xfffffff0, 0xfffffff1:
		p.cus, p.files, p.pctab = p.data[header(4):], p.data[header(5):], p.data[header(6):]
		entries, skipped = p.data[header(7):], 8
		if p.magic == 0xfffffff1 {
			skipped = 12
		}
		entry, records, narrow = 4, entries, true
	}
	p.knownToGosym = p.magic != 0xfffffff1
	for i := uint64(0); i < n; i++ {
		f := function{pc: p.number(entries[2*i*entry:], entry)}
		if narrow { // entries count from the start of the text
			f.pc += p.text
		}
		rest := records[p.number(entries[(2*i+1)*entry:], entry)+entry+12:]
		for k := 0; k < 3; k++ {
			f.tables = append(f.tables, p.order.Uint32(rest[4*k:]))
		}
		f.cu = p.order.Uint32(rest[16:])
		nPcdata := int(p.order.Uint32(rest[12:]))
		for k := 0; k < nPcdata; k++ {
			f.tables = append(f.tables, p.order.Uint32(rest[16+skipped+4*k:]))
		}
		p.functions = append(p.functions, f)
	}
}

// walk reads a table as the runtime steps through it. empty counts runs that no PC lies in.
func (p *program) walk(off uint32) (t table, nbytes, empty int) {
	at := p.pctab[off:]
	value, pc := int32(-1), uint64(0)
	for first := true; ; first = false {
		delta, n := binary.Uvarint(at[nbytes:])
		nbytes += n
		if delta == 0 && !first {
			t.textLen = pc
			return t, nbytes, empty
		}
		length, n := binary.Uvarint(at[nbytes:])
		nbytes += n
		if delta&1 != 0 {
			value += int32(^(delta >> 1))
		} else {
			value += int32(delta >> 1)
		}
		if length == 0 {
			empty++
			continue
		}
		if len(t.runs) == 0 || t.runs[len(t.runs)-1].value != value {
			t.runs = append(t.runs, run{pc, value})
		}
		pc += length * p.quantum
	}
}

// fileName resolves a value of a pcfile table, from Go 1.16 on.
func (p *program) fileName(f *function, value int32) string {
	at := p.files[p.order.Uint32(p.cus[4*(int64(f.cu)+int64(value)):]):]
	return string(at[:bytes.IndexByte(at, 0)])
}

// ---- the comparison -----------------------------------------------------------------------------

func kindName(kind int) string {
	if kind < 3 {
		return []string{"pcsp", "pcfile", "pcln"}[kind]
	}
	return "pcdata" + strconv.Itoa(kind-3)
}

// expectTables reads all tables of the program; the map gives a table's place in the document.
func (p *program) expectTables() (expected []*table, offs []uint32, places map[uint32]int) {
	byOff := make(map[uint32]*table)
	for i := range p.functions {
		seen := make(map[uint32]bool)
		for kind, off := range p.functions[i].tables {
			if off == 0 || seen[off] {
				continue
			}
			seen[off] = true
			if byOff[off] == nil {
				byOff[off] = &table{kind: kindName(kind)}
				offs = append(offs, off)
			}
			byOff[off].refs++
		}
	}
	sort.Slice(offs, func(i, j int) bool { return offs[i] < offs[j] })
	places = make(map[uint32]int)
	for i, off := range offs {
		t, _, _ := p.walk(off)
		t.kind, t.refs = byOff[off].kind, byOff[off].refs
		expected = append(expected, &t)
		places[off] = i
	}
	return expected, offs, places
}

func (p *program) compareTables(expected, tables []*table, offs []uint32) error {
	if len(tables) != len(expected) {
		return fmt.Errorf("%d tables, the program has %d", len(tables), len(expected))
	}
	for i, want := range expected {
		got := tables[i]
		if fmt.Sprint(*got) != fmt.Sprint(*want) {
			return fmt.Errorf("table %d is %v, not %v", i, *got, *want)
		}
		_, nbytes, empty := p.walk(offs[i])
		if empty > 0 {
			p.nonCanonicalTables++
		} else if !bytes.Equal(got.encode(p.quantum), p.pctab[offs[i]:][:nbytes]) {
			return fmt.Errorf("table %d: encoding it again gives other bytes", i)
		}
	}
	return nil
}

// compareLines looks up file and line at PCs of up to maxFunctions functions, three each.
func (p *program) compareLines(tables []*table, places map[uint32]int, maxFunctions int) (int, error) {
	lineTable := gosym.NewLineTable(p.data, p.text)
	symbols, err := gosym.NewTable(nil, lineTable)
	if err != nil {
		return 0, err
	}
	n, step := 0, len(p.functions)/maxFunctions+1
	for i := 0; i < len(p.functions); i += step {
		f := &p.functions[i]
		if f.tables[1] == 0 || f.tables[2] == 0 {
			continue
		}
		files, lines := tables[places[f.tables[1]]], tables[places[f.tables[2]]]
		for _, part := range []uint64{0, 1, 2} {
			pc := lines.textLen / p.quantum * part / 2 * p.quantum
			if part == 2 {
				pc -= p.quantum
			}
			if pc >= files.textLen {
				continue
			}
			file, line, _ := symbols.PCToLine(f.pc + pc)
			if got := lines.at(pc); int(got) != line {
				return n, fmt.Errorf("pc %#x: line %d, gosym says %d", f.pc+pc, got, line)
			}
			if p.files != nil {
				if got := p.fileName(f, files.at(pc)); got != file {
					return n, fmt.Errorf("pc %#x: file %s, gosym says %s", f.pc+pc, got, file)
				}
			}
			n++
		}
	}
	return n, nil
}

func check(programName, documentName string) error {
	p, err := readProgram(programName)
	if err != nil {
		return err
	}
	quantum, tables, err := readDocument(documentName)
	if err != nil {
		return err
	}
	if quantum != p.quantum {
		return fmt.Errorf("quantum %d, the program has %d", quantum, p.quantum)
	}
	expected, offs, places := p.expectTables()
	if err = p.compareTables(expected, tables, offs); err != nil {
		return err
	}
	said := "debug/gosym does not know this layout"
	if p.knownToGosym {
		n, err := p.compareLines(tables, places, 400)
		if err != nil {
			return err
		}
		if n < 300 {
			return fmt.Errorf("only %d PCs to compare with gosym", n)
		}
		said = fmt.Sprintf("%d PCs agree with debug/gosym", n)
	}
	fmt.Printf("%d functions, %d tables equal, %d with empty runs; %s\n",
		len(p.functions), len(tables), p.nonCanonicalTables, said)
	return nil
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: checker PROGRAM IMPORT.txt")
		os.Exit(2)
	}
	if err := check(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintf(os.Stderr, "checker: %s: %v\n", os.Args[2], err)
		os.Exit(1)
	}
}
