// A driver of go-redsync over redigo, with `fail-fast` as an argument. `build`, beside this, makes it.
package main

import (
	"context"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	pools "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/redigo"
	"github.com/gomodule/redigo/redis"
)

// A pool as redigo makes one unless it is told otherwise: it keeps no connection that is idle.
func poolOf(address string, patience time.Duration) pools.Pool {
	return redigo.NewPool(&redis.Pool{Dial: func() (redis.Conn, error) {
		return redis.Dial("tcp", address, redis.DialConnectTimeout(patience), redis.DialReadTimeout(patience),
			redis.DialWriteTimeout(patience))
	}})
}

type mutex struct {
	locks *redsync.Redsync
	retry time.Duration
	held  *redsync.Mutex
}

func (mutex *mutex) acquire(asked request) answer {
	mutex.held = mutex.locks.NewMutex(asked.Lock, redsync.WithExpiry(milliseconds(asked.LeaseMs)), redsync.WithTries(1<<30),
		redsync.WithRetryDelay(mutex.retry), redsync.WithFailFast(wants("fail-fast")))
	patience, cancel := context.WithTimeout(context.Background(), milliseconds(asked.WaitMs))
	defer cancel()
	if err := mutex.held.LockContext(patience); err != nil {
		return answer{Answer: "not-held", Why: why(err)}
	}
	return answer{Answer: "held", ValidMs: max(time.Until(mutex.held.Until()).Milliseconds(), 0)}
}

func (mutex *mutex) release(request) answer {
	released, err := mutex.held.Unlock()
	var unreached *redsync.RedisError
	switch {
	case released:
		return answer{Answer: "released"}
	case errors.As(err, &unreached):
		return answer{Answer: "unknown", Why: why(err)}
	}
	return answer{Answer: "not-owner"}
}

func max(one, other int64) int64 {
	if one > other {
		return one
	}
	return other
}

func main() {
	serve("redsync 4.9.4", func(told hello) (func() lock, error) {
		var servers []pools.Pool
		for _, address := range told.Servers.Addresses {
			servers = append(servers, poolOf(address, milliseconds(told.RequestMs)))
		}
		locks := redsync.New(servers...)
		return func() lock { return &mutex{locks: locks, retry: milliseconds(told.RetryMs)} }, nil
	})
}
