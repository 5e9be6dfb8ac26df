#!/usr/bin/python3
"""redis-py's Lock (redis.lock.Lock) as a driver for Lockpick.

Arguments are ways in which it is used: `retry-on-timeout` (a request that was not answered is sent
again by the library), `no-lease` (timeout=None, the default), `shared` (one Lock object for all
workers), `release-again` (a release that was not answered is asked for once more). With the topologies
`sentinel` and `cluster` the library finds who has the lock, and its acquire is tried again meanwhile.

Install: apt-get install python3-redis
"""
import os
import sys
import threading
import time

import redis
from redis.cluster import ClusterNode, RedisCluster
from redis.exceptions import LockError, LockNotOwnedError, RedisClusterException, RedisError
from redis.sentinel import Sentinel

from lockpick_driver import Driver

FAILURES = (RedisError, RedisClusterException)


def addresses(name):
    pairs = (address.rsplit(":", 1) for address in os.environ[name].split(","))
    return [(host.strip("[]"), int(port)) for host, port in pairs]


def connect(topology, timeout):
    options = {"socket_timeout": timeout, "socket_connect_timeout": timeout}
    servers = addresses("LOCKPICK_REDIS")
    if topology == "cluster":
        return RedisCluster(startup_nodes=[ClusterNode(*one) for one in servers], **options)
    options["retry_on_timeout"] = "retry-on-timeout" in sys.argv
    if topology == "sentinel":
        sentinels = Sentinel(addresses("LOCKPICK_SENTINEL"), sentinel_kwargs=options)
        return sentinels.master_for("lockpick", **options)
    return redis.Redis(*servers[0], **options)


class TimedLock(redis.lock.Lock):
    """Notes when it asks the server: its lease counts from then on."""

    asked = threading.local()

    def do_acquire(self, token):
        self.asked.at = time.monotonic_ns()
        return super().do_acquire(token)


class RedisPyLock(Driver):
    def hello(self, hello):
        topology = hello["servers"]["topology"]
        self.fails_over = topology in ("sentinel", "cluster")
        self.redis = connect(topology, hello["request_ms"] / 1000)
        self.retry = hello["retry_ms"] / 1000
        self.locks = threading.local()  # each worker is a thread
        self.shared = None
        if "shared" in sys.argv:
            self.shared = self.new_lock(hello["locks"][0], hello["lease_ms"])
        try:
            self.redis.ping()  # an application that has run for a while is connected
        except FAILURES:
            pass

    def new_lock(self, name, lease_ms):
        return self.redis.lock(
            name,
            timeout=None if "no-lease" in sys.argv else lease_ms / 1000,
            sleep=self.retry,
            lock_class=TimedLock,
            thread_local="shared" not in sys.argv,
        )

    def acquire(self, request):
        lock = self.shared or self.new_lock(request["lock"], request["lease_ms"])
        self.locks.held = lock
        called = time.monotonic_ns()
        wait = request["wait_ms"] / 1000
        no = "not-held"
        while True:
            try:
                held = lock.acquire(blocking_timeout=wait)
            except FAILURES:
                held, no = False, "unknown"  # it may have been granted
            to = time.monotonic_ns()
            if held:
                asked = TimedLock.asked.at
                return {"answer": "held", "from_ns": called, "to_ns": to, "request_ns": asked}
            wait = request["wait_ms"] / 1000 - (to - called) / 1e9 - self.retry
            # While another takes the place of a server that died, an application asks on.
            if not self.fails_over or wait < 0:
                return {"answer": no}
            time.sleep(self.retry)

    def release(self, request):
        answer = self.release_once()
        if answer["answer"] == "unknown" and "release-again" in sys.argv:
            again = self.release_once()
            if again["answer"] == "released":
                return again  # anything else is what the object says, and not the server
        return answer

    def release_once(self):
        try:
            self.locks.held.release()
        except LockNotOwnedError:
            return {"answer": "not-owner"}
        except LockError:
            return {"answer": "gone"}
        except FAILURES:
            return {"answer": "unknown"}
        return {"answer": "released"}


RedisPyLock("redis-py " + redis.__version__).run()
