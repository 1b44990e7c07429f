package pctab

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Frame is what `bakeoff encode --raw pcdata/ENCODING` writes: an area of records, and a
// directory of the tables that refer to them.
type Frame struct {
	Quantum uint32
	Data    []byte // the area and its padding
	AreaLen int
	Tables  []Ref
}

// A Ref has the offset of a table's record, and the number of quanta of its text.
type Ref struct {
	Off, TextLen uint32
}

// ReadFrame parses a payload. It checks the sizes, but not the records.
func ReadFrame(payload []byte) (*Frame, error) {
	const headLen = 16
	if len(payload) < headLen {
		return nil, errors.New("payload ends inside the frame's header")
	}
	if payload[0] != 1 || payload[1] > 2 {
		return nil, errors.New("unknown frame version or quantum")
	}
	n := uint64(binary.LittleEndian.Uint32(payload[4:]))
	areaLen := uint64(binary.LittleEndian.Uint32(payload[8:]))
	directory := (headLen+areaLen+7)&^7 + AreaPadding
	const tableLen = 4 + 4 + 4 + 1
	if uint64(len(payload)) != directory+n*tableLen {
		return nil, errors.New("size of the payload does not match its header")
	}
	f := &Frame{
		Quantum: 1 << payload[1],
		Data:    payload[headLen:directory:directory],
		AreaLen: int(areaLen),
		Tables:  make([]Ref, n),
	}
	for i := range f.Tables {
		ref := payload[directory+8*uint64(i):]
		f.Tables[i] = Ref{binary.LittleEndian.Uint32(ref), binary.LittleEndian.Uint32(ref[4:])}
		if uint64(f.Tables[i].Off) >= areaLen || f.Tables[i].TextLen == 0 {
			return nil, fmt.Errorf("table %d is outside of the area, or empty", i)
		}
	}
	return f, nil
}

// A Table is one table of a document, with PCs in quanta.
type Table struct {
	Kind    string
	TextLen uint32
	Runs    []Run
}

// ReadText reads a document's text form.
func ReadText(text []byte) ([]Table, error) {
	var tables []Table
	quantum := uint32(0)
	lines := bufio.NewScanner(bytes.NewReader(text))
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		var textLen uint32
		var kind string
		switch {
		case line == "" || line[0] == '#' || line == "pcdata 1":
		case strings.HasPrefix(line, "quantum "):
			if _, err := fmt.Sscanf(line, "quantum %d", &quantum); err != nil || quantum == 0 {
				return nil, fmt.Errorf("line %d: not a quantum", number)
			}
		case strings.HasPrefix(line, "table ") && quantum > 0:
			if _, err := fmt.Sscanf(line, "table %d kind=%s", &textLen, &kind); err != nil {
				return nil, fmt.Errorf("line %d: not a table", number)
			}
			tables = append(tables, Table{Kind: kind, TextLen: textLen / quantum})
		case len(tables) > 0:
			first, second, _ := strings.Cut(line, " ")
			pc, err := strconv.ParseUint(first, 10, 32)
			value, err2 := strconv.ParseInt(second, 10, 32)
			if err != nil || err2 != nil {
				return nil, fmt.Errorf("line %d: not a run", number)
			}
			t := &tables[len(tables)-1]
			t.Runs = append(t.Runs, Run{uint32(pc) / quantum, int32(value)})
		default:
			return nil, fmt.Errorf("line %d: run outside of a table", number)
		}
	}
	return tables, lines.Err()
}
