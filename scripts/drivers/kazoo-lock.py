#!/usr/bin/python3
"""kazoo's Lock (kazoo.recipe.lock.Lock) as a driver for Lockpick.

Install: apt-get install python3-kazoo
"""
import os
import time

from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import CancelledError, KazooException, LockTimeout
from kazoo.handlers.threading import KazooTimeoutError
from kazoo.recipe.lock import Lock

from lockpick_driver import Driver


class TimedLock(Lock):
    """Notes when it asks whether it is first: its session lives for a lease from then on."""

    def _get_predecessor(self, node):
        self.asked = time.monotonic_ns()
        return super()._get_predecessor(node)


class KazooLock(Driver):
    def hello(self, hello):
        # One session for the process, as an application has it; it ends after a lease.
        self.client = KazooClient(
            os.environ["LOCKPICK_ZOOKEEPER"], timeout=hello["lease_ms"] / 1000
        )
        self.client.add_listener(self.session_changes)
        self.held = {}  # worker: (the lock's name, the lock)
        self.client.start(timeout=10)

    def session_changes(self, state):
        if state == KazooState.CONNECTED:
            return
        reason = "session" if state == KazooState.LOST else "suspended"
        for worker, (name, _) in list(self.held.items()):
            self.lost(worker, name, reason)

    def acquire(self, request):
        lock = TimedLock(self.client, "/" + request["lock"], "worker-%d" % request["worker"])
        try:
            held = lock.acquire(timeout=request["wait_ms"] / 1000)
        except LockTimeout:
            return {"answer": "not-held"}
        except (KazooException, KazooTimeoutError, CancelledError):
            return {"answer": "unknown"}
        if not held:
            return {"answer": "not-held"}
        self.held[request["worker"]] = (request["lock"], lock)
        return {"answer": "held", "request_ns": lock.asked}

    def release(self, request):
        _, lock = self.held.pop(request["worker"])
        try:
            released = lock.release()
        except (KazooException, KazooTimeoutError):
            return {"answer": "unknown"}
        return {"answer": "released" if released else "gone"}


KazooLock("kazoo").run()
