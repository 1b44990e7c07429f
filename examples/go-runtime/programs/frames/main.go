// Frames prints what the runtime reads from PC tables: callers with names, files and lines, inlined
// calls, panics on their way through deferred calls, stacks of all goroutines, and what is left after
// collections with deep stacks and preemption. It ends with a panic. Its output is the same whatever
// the encoding, except for arguments and addresses in stacks.
package main

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

func printCallers(title string) {
	pcs := make([]uintptr, 300)
	pcs = pcs[:runtime.Callers(2, pcs)]
	fmt.Println(title, len(pcs))
	frames := runtime.CallersFrames(pcs)
	for {
		frame, more := frames.Next()
		fmt.Println("\t", frame.Function, frame.File, frame.Line)
		if !more {
			return
		}
	}
}

func inlined(title string) { printCallers(title) }
func twice(title string)   { inlined(title); inlined(title) }

//go:noinline
func recurse(depth int, f func()) {
	if depth == 0 {
		f()
		return
	}
	recurse(depth-1, f)
}

var word = regexp.MustCompile(`[a-z]`)

// mixed calls f below functions of several packages.
func mixed(f func()) {
	word.ReplaceAllStringFunc("a", func(string) string {
		sort.Slice([]int{2, 1}, func(int, int) bool {
			strings.Map(func(r rune) rune {
				reflect.ValueOf(f).Call(nil)
				return r
			}, "x")
			return false
		})
		return ""
	})
}

func deferred(depth int) {
	defer func() {
		reason := recover()
		_, file, line, _ := runtime.Caller(0)
		fmt.Println("recovered", depth, reason, file, line)
		printCallers("in a deferred call")
		if depth > 0 {
			panic(fmt.Sprint("again ", depth))
		}
	}()
	if depth < 3 {
		deferred(depth + 1)
	}
	var p *int
	*p = depth
}

func allFunctions() {
	for pc := reflect.ValueOf(main).Pointer(); pc < reflect.ValueOf(main).Pointer()+64; pc++ {
		f := runtime.FuncForPC(pc)
		file, line := f.FileLine(pc)
		fmt.Println(f.Name(), file, line)
	}
}

type node struct{ next *node }

func hold(depth int, parent *node, ready *sync.WaitGroup, release chan bool) int {
	n := &node{parent}
	if depth == 0 {
		ready.Done()
		<-release
		return 0
	}
	sum := hold(depth-1, n, ready, release) + 1
	if n.next != parent {
		panic("the frame's pointer has changed")
	}
	return sum
}

// collect scans deep stacks, and stops loops without calls.
func collect() {
	var ready, done sync.WaitGroup
	release := make(chan bool)
	var sum, stop int64
	for i := 0; i < 20; i++ {
		ready.Add(1)
		done.Add(1)
		go func() {
			defer done.Done()
			atomic.AddInt64(&sum, int64(hold(500, nil, &ready, release)))
		}()
	}
	for i := 0; i < 2; i++ {
		done.Add(1)
		go func() {
			defer done.Done()
			for x := 0; atomic.LoadInt64(&stop) == 0; x++ {
			}
		}()
	}
	ready.Wait()
	for i := 0; i < 10; i++ {
		runtime.GC()
	}
	atomic.StoreInt64(&stop, 1)
	close(release)
	done.Wait()
	fmt.Println("held", sum)
}

func main() {
	debug.SetTraceback("all")
	twice("inlined")
	recurse(120, func() { printCallers("recursion") })
	mixed(func() { printCallers("mixed") })
	func() {
		defer func() { fmt.Println("recovered", recover()) }()
		mixed(func() { panic("through several packages") })
	}()
	deferred(0)
	allFunctions()
	collect()
	mixed(func() { fmt.Printf("%s\n", debug.Stack()) })
	blocked := make(chan bool)
	go mixed(func() { blocked <- true })
	time.Sleep(100 * time.Millisecond)
	stacks := make([]byte, 1<<16)
	fmt.Printf("%s\n", stacks[:runtime.Stack(stacks, true)])
	fmt.Fprintln(os.Stderr, "the last panic")
	recurse(3, func() { mixed(func() { panic("the end") }) })
}
