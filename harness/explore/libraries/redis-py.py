#!/usr/bin/python3
"""redis-py's own Lock."""
import redis

from library import Library, address


class RedisPy(Library):
    def start(self, hello):
        self.redis = redis.Redis(*address("REDIS"))

    def try_acquire(self, request):
        self.lock = self.redis.lock(request["lock"], timeout=request["lease_ms"] / 1000)
        return self.lock.acquire(blocking=False)

    def release(self, request):
        try:
            self.lock.release()
        except redis.exceptions.LockError:
            return False
        return True


RedisPy().run()
