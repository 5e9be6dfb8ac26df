// Speaks the line protocol of README.md, so that a driver in Go is only its lock. `build` compiles both to one program.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"sync"
	"time"
)

type hello struct {
	RetryMs   int64 `json:"retry_ms"`
	RequestMs int64 `json:"request_ms"`
	Servers   struct{ Addresses []string }
}

type request struct {
	Id, Worker int
	Do, Lock   string
	LeaseMs    int64 `json:"lease_ms"`
	WaitMs     int64 `json:"wait_ms"`
}

type answer struct {
	Id      int    `json:"id"`
	Answer  string `json:"answer"`
	Why     string `json:"why,omitempty"`
	ValidMs int64  `json:"valid_ms,omitempty"`
	// Closed when what is `held` is lost by the end of its session; nil: that is not known.
	lost <-chan struct{}
}

// A worker's lock.
type lock interface {
	acquire(request) answer
	release(request) answer
}

func milliseconds(count int64) time.Duration {
	return time.Duration(count) * time.Millisecond
}

// Whether the driver was started with that argument.
func wants(argument string) bool {
	return len(os.Args) > 1 && os.Args[1] == argument
}

// What was said by the library, as the reason of an answer.
func why(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Answers until it is asked to quit; `prepare` makes of the hello what makes a worker's lock.
func serve(name string, prepare func(hello) (func() lock, error)) {
	lines := bufio.NewReader(os.Stdin)
	first, _ := lines.ReadBytes('\n')
	var told hello
	if json.Unmarshal(first, &told) != nil {
		os.Exit(1)
	}
	newLock, err := prepare(told)
	if err != nil {
		panic(err)
	}
	say := json.NewEncoder(os.Stdout)
	say.Encode(map[string]any{"hello": 1, "driver": name})

	locks := map[int]lock{} // by worker
	var saying sync.Mutex
	holds := map[int]int{} // worker: the request by which it holds; guarded by `saying`
	for {
		line, err := lines.ReadBytes('\n')
		var asked request
		if err != nil || json.Unmarshal(line, &asked) != nil || asked.Do == "quit" {
			return
		}
		if locks[asked.Worker] == nil {
			locks[asked.Worker] = newLock()
		}
		act := locks[asked.Worker].acquire
		if asked.Do == "release" {
			act = locks[asked.Worker].release
			saying.Lock()
			delete(holds, asked.Worker)
			saying.Unlock()
		}
		go func() {
			result := act(asked)
			result.Id = asked.Id
			saying.Lock()
			say.Encode(result)
			if result.lost != nil {
				holds[asked.Worker] = asked.Id
			}
			saying.Unlock()
			if result.lost == nil {
				return
			}
			<-result.lost
			saying.Lock()
			defer saying.Unlock()
			if holds[asked.Worker] == asked.Id {
				say.Encode(map[string]any{"answer": "lost", "worker": asked.Worker, "lock": asked.Lock, "reason": "session"})
			}
		}()
	}
}
