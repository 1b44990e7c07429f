// Deep collects garbage while goroutines block in deep recursion: 200 goroutines of 200 frames, 30
// collections, or as the flags say.
package main

import (
	"flag"
	"fmt"
	"runtime"
	"sync"
)

type node struct{ next *node }

// descend holds a pointer in every frame, which the collector must find.
func descend(depth int, parent *node, ready *sync.WaitGroup, release chan bool) int {
	n := &node{parent}
	if depth == 0 {
		ready.Done()
		<-release
		return 0
	}
	sum := descend(depth-1, n, ready, release) + 1
	if n.next != parent {
		panic("the frame's pointer has changed")
	}
	return sum
}

func main() {
	goroutines := flag.Int("goroutines", 200, "goroutines")
	depth := flag.Int("depth", 200, "frames of each")
	collections := flag.Int("n", 30, "collections")
	flag.Parse()
	var ready, done sync.WaitGroup
	release := make(chan bool)
	ready.Add(*goroutines)
	done.Add(*goroutines)
	for i := 0; i < *goroutines; i++ {
		go func() {
			defer done.Done()
			if descend(*depth, nil, &ready, release) != *depth {
				panic("frames are missing")
			}
		}()
	}
	ready.Wait()
	for i := 0; i < *collections; i++ {
		runtime.GC()
	}
	close(release)
	done.Wait()
	fmt.Println("collections:", *collections)
}
