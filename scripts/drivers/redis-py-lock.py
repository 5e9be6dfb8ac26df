#!/usr/bin/python3
"""redis-py's Lock (redis.lock.Lock) as a driver for Lockpick.

Arguments are ways in which it is used: `retry-on-timeout` (a request that was not answered is sent
again by the library), `no-lease` (timeout=None, the default), `shared` (one Lock object for all
workers), `release-again` (a release that was not answered is asked for once more).

Install: apt-get install python3-redis
"""
import os
import sys
import threading

import redis
from redis.exceptions import LockError, LockNotOwnedError, RedisError

from lockpick_driver import Driver


class RedisPyLock(Driver):
    def hello(self, hello):
        host, port = os.environ["LOCKPICK_REDIS"].split(",")[0].rsplit(":", 1)
        timeout = hello["request_ms"] / 1000
        self.redis = redis.Redis(
            host,
            int(port),
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            retry_on_timeout="retry-on-timeout" in sys.argv,
        )
        self.retry = hello["retry_ms"] / 1000
        self.locks = threading.local()  # each worker is a thread
        self.shared = None
        if "shared" in sys.argv:
            self.shared = self.new_lock(hello["locks"][0], hello["lease_ms"])
        try:
            self.redis.ping()  # an application that has run for a while is connected
        except RedisError:
            pass

    def new_lock(self, name, lease_ms):
        return self.redis.lock(
            name,
            timeout=None if "no-lease" in sys.argv else lease_ms / 1000,
            sleep=self.retry,
            thread_local="shared" not in sys.argv,
        )

    def acquire(self, request):
        lock = self.shared or self.new_lock(request["lock"], request["lease_ms"])
        self.locks.held = lock
        try:
            held = lock.acquire(blocking_timeout=request["wait_ms"] / 1000)
        except RedisError:
            return {"answer": "unknown"}  # it may have been granted
        return {"answer": "held" if held else "not-held"}

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
        except RedisError:
            return {"answer": "unknown"}
        return {"answer": "released"}


RedisPyLock("redis-py " + redis.__version__).run()
