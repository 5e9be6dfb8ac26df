#!/usr/bin/python3
"""etcd's own lock service (v3lock), over its JSON gateway, as a driver for Lockpick.

A lease for each acquire, renewed each third of it while the lock is waited for and held; with
`one-lease` as an argument one lease for the whole process, as for one session.

Install: apt-get install python3
"""
import base64
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request

from lockpick_driver import Driver

ONE_LEASE = "one-lease" in sys.argv


def encoded(text):
    return base64.b64encode(text.encode()).decode()


class EtcdLockService(Driver):
    def hello(self, hello):
        self.server = "http://" + os.environ["LOCKPICK_ETCD"].split(",")[0]
        self.timeout = hello["request_ms"] / 1000
        self.ttl = max(1, hello["lease_ms"] // 1000)  # whole seconds, as etcd has it
        self.held = {}  # worker: (its lease, the event that ends its renewal, its key)
        self.asked = {}  # lease: when it was last asked for with success
        self.shared = self.grant(10) if ONE_LEASE else None

    def ask(self, path, body, timeout=None):
        request = urllib.request.Request(self.server + path, json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=timeout or self.timeout) as answer:
            return json.loads(answer.readline())

    def grant(self, timeout=None):
        asked = time.monotonic_ns()
        lease = self.ask("/v3/lease/grant", {"TTL": self.ttl}, timeout)["ID"]
        self.asked[lease] = asked
        ended = threading.Event()
        threading.Thread(target=self.keep, args=(lease, ended), daemon=True).start()
        return lease, ended

    def keep(self, lease, ended):
        while not ended.wait(self.ttl / 3):
            asked = time.monotonic_ns()
            try:
                if "TTL" in self.ask("/v3/lease/keepalive", {"ID": lease})["result"]:
                    self.asked[lease] = asked  # else it is over
            except OSError:
                pass  # the next one may get through

    def acquire(self, request):
        try:
            lease, ended = self.shared or self.grant()
        except OSError:
            return {"answer": "not-held"}  # without a lease, nothing was asked for
        try:
            body = {"name": encoded(request["lock"]), "lease": lease}
            key = self.ask("/v3/lock/lock", body, max(request["wait_ms"] / 1000, 0.1))["key"]
        except OSError:
            self.end(lease, ended)  # and with it the place in the queue
            return {"answer": "unknown"}
        self.held[request["worker"]] = lease, ended, key
        return {"answer": "held", "valid_until_ns": self.asked[lease] + self.ttl * 1000000000}

    def end(self, lease, ended):
        if ONE_LEASE:
            return
        ended.set()
        try:
            self.ask("/v3/lease/revoke", {"ID": lease})
        except OSError:
            pass  # it ends by itself

    def release(self, request):
        lease, ended, key = self.held.pop(request["worker"])
        try:
            self.ask("/v3/lock/unlock", {"key": key})  # says nothing of whose it is
        except OSError:
            return {"answer": "unknown"}
        finally:
            self.end(lease, ended)
        return {"answer": "released"}


EtcdLockService("etcd lock service").run()
