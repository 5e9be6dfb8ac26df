#!/usr/bin/python3
"""RQ: the lock that one scheduler of several has. Its release removes the locks of all queues, whoever has them."""
import redis
from rq.scheduler import RQScheduler

from library import Library, address


class Rq(Library):
    def start(self, hello):
        self.redis = redis.Redis(*address("REDIS"))
        self.interval = hello["lease_ms"] // 1000 - 60

    def try_acquire(self, request):
        self.scheduler = RQScheduler([request["lock"]], self.redis, interval=self.interval)
        return self.scheduler.acquire_locks()

    def release(self, request):
        self.scheduler.release_locks()
        return True


Rq().run()
