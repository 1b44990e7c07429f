// Prof parses, prints and compresses the sources of a package under a CPU profile, while another
// goroutine takes a profile of all goroutines fifty times a second.
package main

import (
	"bytes"
	"compress/flate"
	"flag"
	"fmt"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"io"
	"log"
	"runtime/pprof"
	"time"
)

func profileGoroutines(stop, stopped chan bool) {
	ticker := time.NewTicker(time.Second / 50)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			pprof.Lookup("goroutine").WriteTo(io.Discard, 1)
		case <-stop:
			close(stopped)
			return
		}
	}
}

func work(folder string) (int, error) {
	fset := token.NewFileSet()
	packages, err := parser.ParseDir(fset, folder, nil, parser.ParseComments)
	if err != nil {
		return 0, err
	}
	var compressed bytes.Buffer
	w, err := flate.NewWriter(&compressed, 6)
	if err != nil {
		return 0, err
	}
	for _, p := range packages {
		for _, file := range p.Files {
			if err := printer.Fprint(w, fset, file); err != nil {
				return 0, err
			}
		}
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	return compressed.Len(), nil
}

func main() {
	n := flag.Int("n", 10, "repetitions")
	folder := flag.String("folder", build.Default.GOROOT+"/src/go/types", "folder of the sources")
	flag.Parse()
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		log.Fatal(err)
	}
	stop, stopped := make(chan bool), make(chan bool)
	go profileGoroutines(stop, stopped)
	size := 0
	for i := 0; i < *n; i++ {
		var err error
		if size, err = work(*folder); err != nil {
			log.Fatal(err)
		}
	}
	close(stop)
	<-stopped
	pprof.StopCPUProfile()
	fmt.Println("compressed any sources:", size > 0)
}
