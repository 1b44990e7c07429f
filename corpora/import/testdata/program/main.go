// Program is what test_real_go.sh compiles for many architectures: small, but with calls that
// inline, closures, maps, goroutines, panics, and (through math) functions written in assembly, so
// that its PCDATA tables are of every kind.
package main

import (
	"math"
	"sort"
	"strconv"
	"strings"
)

type shape interface{ area() float64 }

type circle struct{ r float64 }
type square struct{ side float64 }

func (c circle) area() float64 { return math.Pi * math.Pow(c.r, 2) }
func (s square) area() float64 { return s.side * s.side }

func total(shapes []shape) (sum float64) {
	for _, s := range shapes {
		sum += s.area()
	}
	return sum
}

func wordCounts(text string) map[string]int {
	counts := make(map[string]int)
	for _, word := range strings.Fields(text) {
		counts[strings.ToLower(word)]++
	}
	return counts
}

func sortedKeys(counts map[string]int) []string {
	var keys []string
	for key := range counts {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(i, j int) bool { return counts[keys[i]] > counts[keys[j]] || keys[i] < keys[j] })
	return keys
}

func guarded(divide, by int) (result int, failed bool) {
	defer func() { failed = recover() != nil }()
	return divide / by, false
}

func opcode(name string) int {
	switch name {
	case "add":
		return 1
	case "sub":
		return 2
	case "mul":
		return 3
	case "div":
		return 5
	case "mod":
		return 8
	}
	return -1
}

func main() {
	answers := make(chan string)
	go func() {
		answers <- strings.Join(sortedKeys(wordCounts("the tables of the functions of the program")), " ")
	}()
	println(<-answers)
	area := total([]shape{circle{2}, square{3}})
	println(strconv.FormatFloat(math.Log(area)+math.Exp(0.5)+math.Tanh(0.25), 'g', 6, 64))
	_, failed := guarded(1, 0)
	println(failed, opcode("mul"))
}
