// Panics handles requests that fail: errors that carry a stack, panics that a handler recovers,
// symbolized stacks, and log lines with file and line.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"regexp"
	"runtime"
	"sort"
	"strings"
)

// A stackError is an error with the stack of the place where it was made.
type stackError struct {
	error
	pcs []uintptr
}

func newError(text string) error {
	pcs := make([]uintptr, 32)
	return &stackError{errors.New(text), pcs[:runtime.Callers(2, pcs)]}
}

func (e *stackError) Format(w fmt.State, _ rune) {
	io.WriteString(w, e.Error())
	frames := runtime.CallersFrames(e.pcs)
	for {
		frame, more := frames.Next()
		fmt.Fprintf(w, "\n%s\n\t%s:%d", frame.Function, frame.File, frame.Line)
		if !more {
			return
		}
	}
}

var word = regexp.MustCompile(`[a-z]+`)

// visit parses nested lists of words, and fails in one of three ways at the innermost.
func visit(depth, request int) error {
	if depth > 0 {
		var err error
		word.ReplaceAllStringFunc("one two", func(s string) string {
			if s == "one" {
				err = visit(depth-1, request)
			}
			return s
		})
		return err
	}
	switch request % 3 {
	case 0:
		return newError("no such item")
	case 1:
		panic(fmt.Sprintf("request %d", request))
	}
	var items []int
	return fmt.Errorf("item %d", items[request])
}

func handle(request int, logger *log.Logger) (failure string) {
	defer func() {
		if reason := recover(); reason != nil {
			failure = fmt.Sprint(reason)
			logger.Printf("request %d: %v", request, reason)
		}
	}()
	err := visit(request%7+1, request)
	logger.Printf("request %d: %v", request, err)
	return fmt.Sprintf("%+v", err)
}

func main() {
	n := flag.Int("n", 20000, "requests")
	flag.Parse()
	var out strings.Builder
	logger := log.New(&out, "", log.Lshortfile)
	kinds := map[string]int{}
	for i := 0; i < *n; i++ {
		kinds[strings.Split(handle(i, logger), " ")[0]]++
		if out.Len() > 1<<16 {
			out.Reset()
		}
	}
	var lines []string
	for kind, count := range kinds {
		lines = append(lines, fmt.Sprintf("%s: %d", kind, count))
	}
	sort.Strings(lines)
	fmt.Println(strings.Join(lines, "\n"))
}
