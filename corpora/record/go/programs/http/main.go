// Http answers JSON requests of 16 clients over the loopback interface. The handler recurses, so the
// stacks of its goroutines grow.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

type tree struct {
	Name     string  `json:"name"`
	Children []*tree `json:"children,omitempty"`
}

func grow(depth, width int) *tree {
	t := &tree{Name: fmt.Sprint("node ", depth)}
	for i := 0; depth > 0 && i < width; i++ {
		t.Children = append(t.Children, grow(depth-1, width))
	}
	return t
}

func (t *tree) count() int {
	n := 1
	for _, child := range t.Children {
		n += child.count()
	}
	return n
}

func serve(w http.ResponseWriter, r *http.Request) {
	var t tree
	if err := json.NewDecoder(r.Body).Decode(&t); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	json.NewEncoder(w).Encode(map[string]int{"nodes": t.count()})
}

func request(client *http.Client, url string, body []byte, want int) error {
	response, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer map[string]int
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	if answer["nodes"] != want {
		return fmt.Errorf("%d nodes, not %d", answer["nodes"], want)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

func main() {
	n := flag.Int64("n", 3000, "requests")
	clients := flag.Int("clients", 16, "clients")
	flag.Parse()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go http.Serve(listener, http.HandlerFunc(serve))
	sent := grow(6, 2)
	body, err := json.Marshal(sent)
	if err != nil {
		log.Fatal(err)
	}
	var left = *n
	var done sync.WaitGroup
	for i := 0; i < *clients; i++ {
		done.Add(1)
		go func() {
			defer done.Done()
			for number := 0; atomic.AddInt64(&left, -1) >= 0; number++ {
				// A connection serves 50 requests, so new goroutines begin with small stacks.
				client := http.DefaultClient
				if number%50 == 0 {
					client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
				}
				if err := request(client, "http://"+listener.Addr().String(), body, sent.count()); err != nil {
					log.Fatal(err)
				}
			}
		}()
	}
	done.Wait()
	fmt.Println("requests:", *n)
}
