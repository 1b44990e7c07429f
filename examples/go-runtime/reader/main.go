// Compares a runtime's reader with a document: the value at every PC of every table, and the largest
// value of each.
//
//	reader TEXT PAYLOAD
//
// PAYLOAD is what `bakeoff encode --raw` makes of TEXT.
package main

import (
	"log"
	"os"

	"reader/pctab"
	"reader/reader"
)

func read(path string) []byte {
	data, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	return data
}

func main() {
	log.SetFlags(0)
	tables, err := pctab.ReadText(read(os.Args[1]))
	if err != nil {
		log.Fatal(err)
	}
	frame, err := pctab.ReadFrame(read(os.Args[2]))
	if err != nil {
		log.Fatal(err)
	}
	if len(tables) == 0 || len(frame.Tables) != len(tables) {
		log.Fatalf("%d tables in the payload, %d in the text", len(frame.Tables), len(tables))
	}
	for i, t := range tables {
		off := frame.Tables[i].Off
		max := t.Runs[0].Value
		for k, run := range t.Runs {
			end := t.TextLen
			if k+1 < len(t.Runs) {
				end = t.Runs[k+1].PC
			}
			for pc := run.PC; pc < end; pc++ {
				if v := reader.Value(frame.Data, off, t.TextLen, pc); v != run.Value {
					log.Fatalf("table %d: value %d at %d, not %d", i, v, pc, run.Value)
				}
			}
			if run.Value > max {
				max = run.Value
			}
		}
		if v := reader.Max(frame.Data, off, t.TextLen); v != max {
			log.Fatalf("table %d: largest value %d, not %d", i, v, max)
		}
	}
}
