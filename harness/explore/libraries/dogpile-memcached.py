#!/usr/bin/python3
"""dogpile.cache: the distributed lock of its memcached backends. Its release does not ask whose the lock is."""
from dogpile.cache import make_region

from library import Library, address


class Dogpile(Library):
    def start(self, hello):
        self.region = make_region().configure(
            "dogpile.cache.pymemcache",
            arguments={
                "url": ["%s:%d" % address("MEMCACHED")],
                "distributed_lock": True,
                "lock_timeout": hello["lease_ms"] // 1000,
            },
        )

    def try_acquire(self, request):
        self.mutex = self.region.backend.get_mutex(request["lock"])
        return self.mutex.acquire(wait=False)

    def release(self, request):
        self.mutex.release()
        return True


Dogpile().run()
