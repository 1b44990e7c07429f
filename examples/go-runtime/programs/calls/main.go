// Calls measures one kind of call that reads PC tables: it prints the CPU time of the process for one
// call in microseconds.
//
//	calls NAME
package main

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
	"syscall"
	"text/template"
)

// cpuTime returns the user and system time of the process in microseconds.
func cpuTime() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	us := func(t syscall.Timeval) float64 { return 1e6*float64(t.Sec) + float64(t.Usec) }
	return us(usage.Utime) + us(usage.Stime)
}

// held counts deferred calls that are pending.
var held int

// measure prints the time of one of n calls of f.
func measure(n int, f func()) {
	f()
	start := cpuTime()
	for i := 0; i < n; i++ {
		f()
	}
	fmt.Printf("%.4f\n", (cpuTime()-start)/float64(n))
}

//go:noinline
func recurse(depth int, f func()) {
	if depth == 0 {
		f()
		return
	}
	recurse(depth-1, f)
}

var word = regexp.MustCompile(`[a-z]`)

// A call is written as JSON by calling a function.
type call func()

func (f call) MarshalJSON() ([]byte, error) {
	word.ReplaceAllStringFunc("a", func(s string) string { f(); return s })
	return []byte("0"), nil
}

var page = template.Must(template.New("page").Parse(
	`{{define "inner"}}{{range .}}{{if .}}{{call .}}{{end}}{{end}}{{end}}{{template "inner" .}}`))

// library calls f below some 45 frames of text/template, encoding/json and regexp.
func library(f func()) {
	inner := func() string {
		if _, err := json.Marshal(map[string]any{"a": []any{struct{ F call }{f}}}); err != nil {
			log.Fatal(err)
		}
		return ""
	}
	if err := page.Execute(io.Discard, []func() string{inner}); err != nil {
		log.Fatal(err)
	}
}

// nested calls f below n times the frames of library.
func nested(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	library(func() { nested(n-1, f) })
}

// callbacks calls f below n times some 15 frames of packages that let panics pass, and a deferred
// call.
func callbacks(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	held++
	defer func() { held-- }()
	word.ReplaceAllStringFunc("a", func(s string) string {
		sort.Slice([]int{2, 1}, func(int, int) bool {
			strings.Map(func(r rune) rune {
				reflect.ValueOf(callbacks).Call([]reflect.Value{reflect.ValueOf(n - 1), reflect.ValueOf(f)})
				return r
			}, "x")
			return false
		})
		return s
	})
}

// inside runs f while n goroutines block below what descend calls.
func inside(n int, descend func(f func()), f func()) {
	var ready, done sync.WaitGroup
	release := make(chan bool)
	for i := 0; i < n; i++ {
		ready.Add(1)
		done.Add(1)
		go func() {
			defer done.Done()
			descend(func() { ready.Done(); <-release })
		}()
	}
	ready.Wait()
	f()
	close(release)
	done.Wait()
}

func measureCallers(n int) {
	pcs := make([]uintptr, 400)
	measure(n, func() { runtime.Callers(1, pcs) })
}

// inMixed calls f while 500 goroutines block in deep stacks of different frames.
func inMixed(f func()) {
	inside(500, func(f func()) { nested(2, f) }, f)
}

// calls has a function for each kind of call.
var calls = map[string]func(){
	"callers-10-equal":  func() { recurse(10, func() { measureCallers(60000) }) },
	"callers-200-equal": func() { recurse(200, func() { measureCallers(10000) }) },
	"callers-mixed":     func() { nested(1, func() { measureCallers(10000) }) },
	"callers-mixed-4x":  func() { nested(4, func() { measureCallers(3000) }) },
	"callers-long-function": func() {
		reflect.ValueOf(func() { measureCallers(60000) }).Call(nil)
	},
	"caller": func() {
		measure(100000, func() { recurse(1, func() { runtime.Caller(1) }) })
	},
	"stack-text": func() {
		nested(4, func() { measure(150, func() { debug.Stack() }) })
	},
	"callers-frames": func() {
		pcs := make([]uintptr, 400)
		nested(4, func() { pcs = pcs[:runtime.Callers(1, pcs)] })
		measure(1000, func() {
			frames := runtime.CallersFrames(pcs)
			for more := true; more; {
				_, more = frames.Next()
			}
		})
	},
	"panic": func() {
		measure(3000, func() {
			defer func() { recover() }()
			callbacks(3, func() { panic("measured") })
		})
	},
	"stack-growth": func() {
		done := make(chan bool)
		measure(800, func() {
			go nested(4, func() { done <- true })
			<-done
		})
	},
	"gc-equal": func() {
		inside(500, func(f func()) { recurse(200, f) }, func() { measure(8, runtime.GC) })
	},
	"gc-shallow": func() {
		inside(5000, func(f func()) { f() }, func() { measure(8, runtime.GC) })
	},
	"gc-mixed": func() { inMixed(func() { measure(6, runtime.GC) }) },
	"goroutine-profile": func() {
		records := make([]runtime.StackRecord, 1000)
		inMixed(func() { measure(30, func() { runtime.GoroutineProfile(records) }) })
	},
	"goroutine-text": func() {
		inMixed(func() {
			measure(20, func() { pprof.Lookup("goroutine").WriteTo(io.Discard, 1) })
		})
	},
	"no-lookup": deflate,
}

// deflate reads no PC table: it shows what another layout of the code changes.
func deflate() {
	text := bytes.Repeat([]byte("Callers, panics and collections read PC tables. "), 1000)
	for i := range text {
		text[i] += byte(i * i >> 7 & 3)
	}
	measure(100, func() {
		w, err := flate.NewWriter(io.Discard, 6)
		if err != nil {
			log.Fatal(err)
		}
		w.Write(text)
		w.Close()
	})
}

func main() {
	if len(os.Args) != 2 || calls[os.Args[1]] == nil {
		log.Fatal("usage: calls NAME: callers-mixed, panic, gc-mixed, ...")
	}
	// Collections happen where they are measured only.
	debug.SetGCPercent(-1)
	calls[os.Args[1]]()
}
