// A driver of go-redsync over redigo, with `fail-fast` as an argument. `build`, beside this, makes it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/go-redsync/redsync/v4"
	pools "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/redigo"
	"github.com/gomodule/redigo/redis"
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
}

func milliseconds(count int64) time.Duration {
	return time.Duration(count) * time.Millisecond
}

// A pool as redigo makes one unless it is told otherwise: it keeps no connection that is idle.
func poolOf(address string, patience time.Duration) pools.Pool {
	return redigo.NewPool(&redis.Pool{Dial: func() (redis.Conn, error) {
		return redis.Dial("tcp", address, redis.DialConnectTimeout(patience), redis.DialReadTimeout(patience),
			redis.DialWriteTimeout(patience))
	}})
}

func acquire(mutex *redsync.Mutex, asked request) answer {
	patience, cancel := context.WithTimeout(context.Background(), milliseconds(asked.WaitMs))
	defer cancel()
	if err := mutex.LockContext(patience); err != nil {
		return answer{Id: asked.Id, Answer: "not-held", Why: err.Error()}
	}
	return answer{Id: asked.Id, Answer: "held", ValidMs: max(time.Until(mutex.Until()).Milliseconds(), 0)}
}

func release(mutex *redsync.Mutex, asked request) answer {
	released, err := mutex.Unlock()
	var unreached *redsync.RedisError
	switch {
	case released:
		return answer{Id: asked.Id, Answer: "released"}
	case errors.As(err, &unreached):
		return answer{Id: asked.Id, Answer: "unknown", Why: err.Error()}
	}
	return answer{Id: asked.Id, Answer: "not-owner"}
}

func max(one, other int64) int64 {
	if one > other {
		return one
	}
	return other
}

func main() {
	var output sync.Mutex
	say := json.NewEncoder(os.Stdout)
	lines := bufio.NewReader(os.Stdin)
	first, _ := lines.ReadBytes('\n')
	var told hello
	if json.Unmarshal(first, &told) != nil {
		os.Exit(1)
	}
	var servers []pools.Pool
	for _, address := range told.Servers.Addresses {
		servers = append(servers, poolOf(address, milliseconds(told.RequestMs)))
	}
	locks := redsync.New(servers...)
	say.Encode(map[string]any{"hello": 1, "driver": "redsync 4.9.4"})

	held := map[int]*redsync.Mutex{} // by worker
	for {
		line, err := lines.ReadBytes('\n')
		var asked request
		if err != nil || json.Unmarshal(line, &asked) != nil || asked.Do == "quit" {
			return
		}
		act, mutex := release, held[asked.Worker]
		if asked.Do == "acquire" {
			act = acquire
			mutex = locks.NewMutex(asked.Lock, redsync.WithExpiry(milliseconds(asked.LeaseMs)), redsync.WithTries(1<<30),
				redsync.WithRetryDelay(milliseconds(told.RetryMs)),
				redsync.WithFailFast(len(os.Args) > 1 && os.Args[1] == "fail-fast"))
			held[asked.Worker] = mutex
		}
		go func() {
			result := act(mutex, asked)
			output.Lock()
			defer output.Unlock()
			say.Encode(result)
		}()
	}
}
