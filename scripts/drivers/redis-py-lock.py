#!/usr/bin/python3
"""redis-py's Lock (redis.lock.Lock) as a driver for Lockpick.

Install: apt-get install python3-redis
"""
import os
import threading

import redis
from redis.exceptions import LockError, LockNotOwnedError, RedisError

from lockpick_driver import Driver


class RedisPyLock(Driver):
    def hello(self, hello):
        host, port = os.environ["LOCKPICK_REDIS"].split(",")[0].rsplit(":", 1)
        timeout = hello["request_ms"] / 1000
        self.redis = redis.Redis(
            host, int(port), socket_timeout=timeout, socket_connect_timeout=timeout
        )
        self.retry = hello["retry_ms"] / 1000
        self.locks = threading.local()  # each worker is a thread

    def acquire(self, request):
        lock = self.redis.lock(
            request["lock"], timeout=request["lease_ms"] / 1000, sleep=self.retry
        )
        self.locks.held = lock
        try:
            held = lock.acquire(blocking_timeout=request["wait_ms"] / 1000)
        except RedisError:
            return {"answer": "unknown"}  # it may have been granted
        return {"answer": "held" if held else "not-held"}

    def release(self, request):
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
