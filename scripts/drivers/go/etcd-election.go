// A driver of etcd's own election, clientv3/concurrency of its client in Go. `build`, beside this, makes it.
//
// Each worker campaigns by a session of its own, and by a new one after Campaign or Resign has failed: it resigns (again, if
// that is what failed), as the library has it, and leaves the old session to itself; with `close` as an argument, it closes it.
package main

import (
	"context"
	"strconv"

	"go.etcd.io/etcd/clientv3"
	"go.etcd.io/etcd/clientv3/concurrency"
)

type candidate struct {
	told     hello
	client   *clientv3.Client
	session  *concurrency.Session
	election *concurrency.Election
}

func (candidate *candidate) hasSession() bool {
	if candidate.session == nil {
		return false
	}
	select {
	case <-candidate.session.Done():
		return false
	default:
		return true
	}
}

func (candidate *candidate) begin(patience context.Context, asked request) error {
	if candidate.hasSession() {
		return nil
	}
	seconds := asked.LeaseMs / 1000
	lease, err := candidate.client.Grant(patience, seconds)
	if err != nil {
		return err
	}
	candidate.session, err = concurrency.NewSession(candidate.client, concurrency.WithLease(lease.ID), concurrency.WithTTL(int(seconds)))
	return err
}

func (candidate *candidate) resign() error {
	patience, cancel := context.WithTimeout(context.Background(), milliseconds(candidate.told.RequestMs))
	defer cancel()
	return candidate.election.Resign(patience)
}

// The next session is a new one. What became of the candidacy, in one word: that, unless this fails, too.
func (candidate *candidate) giveUp(word string, cause error) answer {
	session := candidate.session
	candidate.session = nil
	end := candidate.resign
	if wants("close") {
		end = session.Close
	}
	if end() != nil {
		word = "unknown"
	}
	return answer{Answer: word, Why: why(cause)}
}

func (candidate *candidate) acquire(asked request) answer {
	patience, cancel := context.WithTimeout(context.Background(), milliseconds(asked.WaitMs))
	defer cancel()
	if err := candidate.begin(patience, asked); err != nil {
		return answer{Answer: "not-held", Why: why(err)}
	}
	candidate.election = concurrency.NewElection(candidate.session, asked.Lock)
	value := strconv.FormatInt(int64(candidate.session.Lease()), 16)
	if err := candidate.election.Campaign(patience, value); err != nil {
		return candidate.giveUp("not-held", err)
	}
	return answer{Answer: "held", lost: candidate.session.Done()}
}

func (candidate *candidate) release(request) answer {
	err := candidate.resign()
	if !candidate.hasSession() {
		return answer{Answer: "gone"}
	}
	if err != nil {
		return candidate.giveUp("released", err)
	}
	return answer{Answer: "released"}
}

func main() {
	serve("etcd's election 3.4.23", func(told hello) (func() lock, error) {
		client, err := clientv3.New(clientv3.Config{Endpoints: told.Servers.Addresses, DialTimeout: milliseconds(told.RequestMs)})
		return func() lock { return &candidate{told: told, client: client} }, err
	})
}
