#!/usr/bin/python3
"""OpenStack's tooz: the lock of its memcached driver. Its release asks whose the lock is, and then removes it."""
import uuid

from tooz import coordination

from library import Library, address


class Tooz(Library):
    def start(self, hello):
        url = "memcached://%s:%d?lock_timeout=%d" % (*address("MEMCACHED"), hello["lease_ms"] // 1000)
        self.coordinator = coordination.get_coordinator(url, uuid.uuid4().hex.encode())
        self.coordinator.start()

    def try_acquire(self, request):
        self.lock = self.coordinator.get_lock(request["lock"].encode())
        return self.lock.acquire(blocking=False)

    def release(self, request):
        return self.lock.release()


Tooz().run()
