#!/usr/bin/python3
"""`etcdctl lock NAME`, as a shell script uses it, as a driver for Lockpick: one process a hold.

Install: apt-get install etcd-client
"""
import os
import select
import signal
import subprocess
import threading
import time

from lockpick_driver import Driver


class EtcdctlLock(Driver):
    def hello(self, hello):
        self.command = ["etcdctl", "--endpoints", os.environ["LOCKPICK_ETCD"], "lock"]
        self.environment = {**os.environ, "ETCDCTL_API": "3"}
        self.held = {}  # worker: its etcdctl

    def acquire(self, request):
        ttl = max(1, request["lease_ms"] // 1000)  # whole seconds, as etcd has it
        asked = time.monotonic_ns()
        process = subprocess.Popen(
            [*self.command, "--ttl", str(ttl), request["lock"]],
            stdout=subprocess.PIPE,
            env=self.environment,
        )
        ready, _, _ = select.select([process.stdout], [], [], request["wait_ms"] / 1000)
        if not ready:
            process.send_signal(signal.SIGINT)  # takes itself out of the line
            return {"answer": "not-held" if process.wait() in (0, 1) else "unknown"}
        if not process.stdout.readline():  # it prints its key once it holds the lock
            process.wait()
            return {"answer": "unknown"}
        self.held[request["worker"]] = process
        threading.Thread(target=self.watch, args=(process, request), daemon=True).start()
        # It renews its lease, but does not say when it was last answered: what is certain counts
        # from when it was started, and nothing is if it waited for longer than the lease.
        return {"answer": "held", "valid_until_ns": asked + ttl * 1000000000}

    def watch(self, process, request):
        """It ends by itself when its session has."""
        process.wait()
        if self.held.get(request["worker"]) is process:
            self.lost(request["worker"], request["lock"], "session")

    def release(self, request):
        process = self.held.pop(request["worker"])
        if process.poll() is not None:
            return {"answer": "gone"}
        process.send_signal(signal.SIGINT)
        return {"answer": "released" if process.wait() == 0 else "unknown"}


EtcdctlLock("etcdctl lock").run()
