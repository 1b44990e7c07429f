package pctab

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A document is a text form with the payloads that bakeoff's C codecs made of it.
type document struct {
	name   string
	tables []Table
	frames map[string]*Frame // by encoding
}

// documents reads NAME.txt and NAME.ENCODING from the folder that PCTAB_DOCUMENTS names; `run.sh`
// makes such a folder.
func documents(tb testing.TB) []document {
	folder := os.Getenv("PCTAB_DOCUMENTS")
	if folder == "" {
		tb.Skip("PCTAB_DOCUMENTS names no folder of documents; run.sh makes one")
	}
	texts, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(texts) == 0 {
		tb.Fatalf("no documents in %s", folder)
	}
	var all []document
	for _, path := range texts {
		d := document{strings.TrimSuffix(filepath.Base(path), ".txt"), nil, map[string]*Frame{}}
		text := readFile(tb, path)
		if d.tables, err = ReadText(text); err != nil {
			tb.Fatalf("%s: %v", path, err)
		}
		for _, e := range Encodings {
			f, err := ReadFrame(readFile(tb, strings.TrimSuffix(path, "txt")+e.Name))
			if err != nil || len(f.Tables) != len(d.tables) {
				tb.Fatalf("%s, %s: %d tables in the text: %v", path, e.Name, len(d.tables), err)
			}
			d.frames[e.Name] = f
		}
		all = append(all, d)
	}
	return all
}

func readFile(tb testing.TB, path string) []byte {
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// padded returns a record with the zeros that follow an area.
func padded(record []byte) []byte {
	return append(record[:len(record):len(record)], make([]byte, AreaPadding)...)
}

func sameRuns(a, b []Run) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// expectTable checks a record at off: it decodes to the table, and lookups at both ends of each run
// give its value.
func expectTable(tb testing.TB, e *Encoding, data []byte, areaLen, off int, t *Table) (end int) {
	runs, end, err := e.Decode(data, areaLen, off, t.TextLen)
	if err != nil || !sameRuns(runs, t.Runs) {
		tb.Fatalf("%s: runs %v, not %v: %v", e.Name, runs, t.Runs, err)
	}
	for i, run := range t.Runs {
		last := t.TextLen - 1
		if i+1 < len(t.Runs) {
			last = t.Runs[i+1].PC - 1
		}
		for _, pc := range []uint32{run.PC, last} {
			if v := e.Lookup(data, uint32(off), t.TextLen, pc); v != run.Value {
				tb.Fatalf("%s: value %d at %d, not %d", e.Name, v, pc, run.Value)
			}
		}
	}
	return end
}

// TestDocuments compares this package with the C codecs on whole documents: all tables, all runs,
// and each record's bytes.
func TestDocuments(t *testing.T) {
	for _, d := range documents(t) {
		for i := range Encodings {
			e := &Encodings[i]
			f := d.frames[e.Name]
			for k := range d.tables {
				off := int(f.Tables[k].Off)
				end := expectTable(t, e, f.Data, f.AreaLen, off, &d.tables[k])
				record, ok := e.Append(nil, d.tables[k].Runs, d.tables[k].TextLen)
				if !ok || !bytes.Equal(record, f.Data[off:end]) {
					t.Fatalf("%s, table %d, %s: other bytes than in C", d.name, k, e.Name)
				}
			}
		}
		t.Logf("%s: %d tables are equal in all encodings", d.name, len(d.tables))
	}
}

// TestVectors reads the conformance vectors of the seed's two encodings: corpora/pcdata/README.md.
func TestVectors(t *testing.T) {
	var vectors []struct {
		Name    string
		TextLen uint32     `json:"text_len"`
		Runs    [][2]int64 // the PC where a run ends, and its value
		Gen     *struct {
			N, Mul, Mod uint32
			PCStep      uint32 `json:"pc_step"`
		}
		VarintSHA256 string `json:"varint_delta_sha256"`
		LinearSHA256 string `json:"linear_index_sha256"`
	}
	if err := json.Unmarshal(readFile(t, "../../corpora/pcdata/vectors.json"), &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		if g := v.Gen; g != nil {
			for i := uint32(0); i < g.N; i++ {
				value := i * g.Mul
				if g.Mod > 0 {
					value %= g.Mod
				}
				v.Runs = append(v.Runs, [2]int64{int64((i + 1) * g.PCStep), int64(int32(value))})
			}
		}
		table := Table{TextLen: v.TextLen}
		pc := uint32(0)
		for _, run := range v.Runs {
			table.Runs = append(table.Runs, Run{pc, int32(run[1])})
			pc = uint32(run[0])
		}
		for i, want := range []string{v.VarintSHA256, v.LinearSHA256} {
			e := &Encodings[i]
			record, ok := e.Append(nil, table.Runs, table.TextLen)
			if hash := sha256.Sum256(record); !ok || hex.EncodeToString(hash[:]) != want {
				t.Fatalf("%s, %s: other bytes: %.40x", v.Name, e.Name, record)
			}
			expectTable(t, e, padded(record), len(record), 0, &table)
		}
	}
}

// frameRules are those of the frame: ReadFrame checks sizes only, and records are read one by one.
var frameRules = map[string]bool{
	"payload ends inside the frame's header": true, "unknown frame version": true, "quantum is not 1, 2 or 4": true,
	"reserved bytes are not 0": true, "ends inside the area or its directory": true,
	"bytes follow the directory": true, "padding is not 0": true, "record offset is past the area's end": true,
	"text length is 0": true, "text length is 4 GiB or more": true, "record lies inside another table's": true,
	"record ends at another byte for another text length":       true,
	"table's record is neither the next one nor an earlier one": true,
	"bytes of the area belong to no table":                      true, "record is shared by too many tables of other lengths": true,
	"record repeats an earlier one":            true,
	"tables refer to more than 2^32 functions": true, "table kind is unknown": true,
}

// TestConformance reads the conformance vectors of each encoding: docs/vectors.md.
func TestConformance(t *testing.T) {
	folder := os.Getenv("PCTAB_DOCUMENTS")
	if folder == "" {
		t.Skip("PCTAB_DOCUMENTS names no folder with vectors; run.sh makes one")
	}
	for i := range Encodings {
		e := &Encodings[i]
		var vectors struct {
			Valid   []struct{ Model, Bytes string }
			Invalid []struct{ Rule, Bytes string }
		}
		if err := json.Unmarshal(readFile(t, filepath.Join(folder, e.Name+".json")), &vectors); err != nil {
			t.Fatal(err)
		}
		for n, v := range vectors.Valid {
			f := frameOf(t, v.Bytes)
			tables, err := ReadText([]byte(v.Model))
			if err != nil || f == nil || len(f.Tables) != len(tables) {
				t.Fatalf("%s: valid vector %d: %v", e.Name, n, err)
			}
			for k := range tables {
				expectTable(t, e, f.Data, f.AreaLen, int(f.Tables[k].Off), &tables[k])
			}
		}
		rejected := 0
		for n, v := range vectors.Invalid {
			if f := frameOf(t, v.Bytes); f != nil && !frameRules[v.Rule] {
				if err := firstError(e, f); err == nil || err.Error() != v.Rule {
					t.Fatalf("%s: invalid vector %d: %v, not %q", e.Name, n, err, v.Rule)
				}
				rejected++
			}
		}
		if rejected < 5 {
			t.Errorf("%s: %d invalid records", e.Name, rejected)
		}
		t.Logf("%s: %d valid, %d invalid records", e.Name, len(vectors.Valid), rejected)
	}
}

// frameOf returns nil where the payload is not a frame.
func frameOf(tb testing.TB, text string) *Frame {
	payload, err := hex.DecodeString(text)
	if err != nil {
		tb.Fatal(err)
	}
	f, _ := ReadFrame(payload)
	return f
}

func firstError(e *Encoding, f *Frame) error {
	for _, ref := range f.Tables {
		if _, _, err := e.Decode(f.Data, f.AreaLen, int(ref.Off), ref.TextLen); err != nil {
			return err
		}
	}
	return nil
}

// randomTable draws a table whose runs and values have sizes of all magnitudes.
func randomTable(r *rand.Rand) Table {
	t := Table{}
	step := uint32(1) << r.Intn(1+r.Intn(14))
	values := uint32(1) << r.Intn(32)
	pc := uint32(0)
	for n := 1 + r.Intn(1<<r.Intn(11)); n > 0; n-- {
		value := int32(uint32(r.Int63())%values) * int32(1-2*r.Intn(2))
		if k := len(t.Runs); k == 0 || t.Runs[k-1].Value != value {
			t.Runs = append(t.Runs, Run{pc, value})
			pc += 1 + uint32(r.Intn(int(step)))
		}
	}
	t.TextLen = pc
	return t
}

// TestRandom writes and reads random tables, and damages their records: a damaged record is an
// error, or what it decodes to is what lookups answer.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	accepted := map[string]int{}
	for n := 0; n < 3000; n++ {
		table := randomTable(r)
		for i := range Encodings {
			e := &Encodings[i]
			record, ok := e.Append([]byte{0x55}, table.Runs, table.TextLen)
			if !ok || record[0] != 0x55 {
				t.Fatalf("%s: cannot hold %v", e.Name, table)
			}
			data := padded(record)
			if end := expectTable(t, e, data, len(record), 1, &table); end != len(record) {
				t.Fatalf("%s: record ends at %d, not %d", e.Name, end, len(record))
			}
			bit := 8 + r.Intn(8*len(record)-8)
			data[bit/8] ^= 1 << (bit % 8)
			runs, _, err := e.Decode(data, len(record), 1, table.TextLen)
			if err == nil {
				accepted[e.Name]++
				damaged := Table{TextLen: table.TextLen, Runs: runs}
				expectTable(t, e, data, len(record), 1, &damaged)
			}
			data = padded(record)
			cut := 1 + r.Intn(len(record)-1)
			if _, end, err := e.Decode(padded(record[:cut]), cut, 1, table.TextLen); err == nil && end > cut {
				t.Fatalf("%s: accepts a record that was cut at %d", e.Name, cut)
			}
		}
	}
	for _, e := range Encodings {
		if accepted[e.Name] == 0 || accepted[e.Name] == 3000 {
			t.Errorf("%s: %d of 3000 damaged records accepted", e.Name, accepted[e.Name])
		}
	}
}

// TestLookupAllocates fails if a lookup allocates memory.
func TestLookupAllocates(t *testing.T) {
	table := randomTable(rand.New(rand.NewSource(2)))
	for _, e := range Encodings {
		record, _ := e.Append(nil, table.Runs, table.TextLen)
		data := padded(record)
		if n := testing.AllocsPerRun(100, func() { e.Lookup(data, 0, table.TextLen, table.TextLen-1) }); n > 0 {
			t.Errorf("%s: %v allocations a lookup", e.Name, n)
		}
	}
}

type query struct{ off, textLen, pc uint32 }

// recorded returns the lookups of a document that a real program made while it walked its stacks and
// missed the runtime's cache: NAME.workload, the text form of docs/workloads.md. It is empty if the
// document has no such file.
func recorded(tb testing.TB, d *document, f *Frame) (queries []query) {
	path := filepath.Join(os.Getenv("PCTAB_DOCUMENTS"), d.name+".workload")
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	for _, line := range strings.Split(string(readFile(tb, path)), "\n") {
		var table, pc uint32
		if n, _ := fmt.Sscanf(line, "point\t%d\t%d", &table, &pc); n == 2 {
			queries = append(queries, query{f.Tables[table].Off, d.tables[table].TextLen, pc})
		}
	}
	return queries
}

// workloads draws queries as bakeoff's workloads of the same names do: every run of every table
// once, in random order; and a hundred tables, again and again.
func workloads(d *document, f *Frame) map[string][]query {
	r := rand.New(rand.NewSource(3))
	var uniform, hot []query
	for i, t := range d.tables {
		for k, run := range t.Runs {
			end := t.TextLen
			if k+1 < len(t.Runs) {
				end = t.Runs[k+1].PC
			}
			uniform = append(uniform, query{f.Tables[i].Off, t.TextLen, run.PC + uint32(r.Intn(int(end-run.PC)))})
		}
	}
	popular := r.Perm(len(d.tables))
	if len(popular) > 100 {
		popular = popular[:100]
	}
	for n := 0; n < 1<<16; n++ {
		i := popular[n%len(popular)]
		hot = append(hot, query{f.Tables[i].Off, d.tables[i].TextLen, uint32(r.Int63n(int64(d.tables[i].TextLen)))})
	}
	r.Shuffle(len(uniform), func(i, j int) { uniform[i], uniform[j] = uniform[j], uniform[i] })
	return map[string][]query{"uniform": uniform, "hot": hot}
}

var sink int32

// BenchmarkLookup reports the time of one lookup for each document, workload and encoding.
func BenchmarkLookup(b *testing.B) {
	for _, d := range documents(b) {
		for _, e := range Encodings {
			f := d.frames[e.Name]
			drawn := workloads(&d, f)
			drawn["recorded"] = recorded(b, &d, f)
			for _, workload := range []string{"uniform", "hot", "recorded"} {
				queries := drawn[workload]
				if len(queries) == 0 {
					continue
				}
				lookup := e.Lookup
				b.Run(d.name+"/"+workload+"/"+e.Name, func(b *testing.B) {
					for n := 0; n < b.N; n++ {
						q := queries[n%len(queries)]
						sink += lookup(f.Data, q.off, q.textLen, q.pc)
					}
				})
			}
		}
	}
}

// BenchmarkAppend reports the time to write a document's tables, per table.
func BenchmarkAppend(b *testing.B) {
	for _, d := range documents(b) {
		for _, e := range Encodings {
			b.Run(d.name+"/"+e.Name, func(b *testing.B) {
				var dst []byte
				for n := 0; n < b.N; n++ {
					t := &d.tables[n%len(d.tables)]
					dst, _ = e.Append(dst[:0], t.Runs, t.TextLen)
				}
			})
		}
	}
}
