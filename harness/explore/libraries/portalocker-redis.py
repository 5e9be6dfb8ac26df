#!/usr/bin/python3
"""portalocker's RedisLock: whoever subscribes to a channel that has no other subscriber holds the lock."""
import portalocker
import redis
from portalocker.exceptions import AlreadyLocked

from library import Library, address


class Portalocker(Library):
    def start(self, hello):
        self.redis = redis.Redis(*address("REDIS"))

    def try_acquire(self, request):
        self.lock = portalocker.RedisLock(request["lock"], self.redis, timeout=0.01)
        try:
            self.lock.acquire()
        except AlreadyLocked:
            return False
        return True

    def release(self, request):
        self.lock.release()
        return True


Portalocker().run()
