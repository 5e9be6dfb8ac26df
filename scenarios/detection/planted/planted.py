#!/usr/bin/python3
"""Locks of one Redis key with one mistake each, named by the argument; without one it has none.

Lockpick must find them, and tell the mistake: ../causes.txt says which it is. Needs only Python.
"""
import json
import os
import random
import socket
import sys
import threading
import time
import uuid

MISTAKE = sys.argv[1] if len(sys.argv) > 1 else ""
COMPARE_AND_DELETE = (
    "local value = redis.call('get', KEYS[1]) "
    "if value == ARGV[1] then return redis.call('del', KEYS[1]) end "
    "return value and -1 or 0"
)


class Redis:
    """One connection, one request at a time. Raises OSError if the answer does not come."""

    def __init__(self, timeout):
        host, port = os.environ["LOCKPICK_REDIS"].split(",")[0].rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout)
        self.file = self.socket.makefile("rb")

    def ask(self, *words):
        words = [str(word).encode() for word in words]
        self.socket.sendall(
            b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)
        )
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise OSError("the connection is closed")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise OSError(rest.decode())
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        return int(rest) if kind == b":" else rest


def is_it(*mistakes):
    return MISTAKE in mistakes


class Worker:
    """One thread of the application, with a connection of its own."""

    def __init__(self, hello):
        self.hello = hello
        self.timeout, self.retry = hello["request_ms"] / 1000, hello["retry_ms"] / 1000
        self.redis, self.token, self.cached_until, self.tokens = None, None, 0, 0

    def try_once(self, lock, lease_ms):
        """What is left of the lease in ms, or None."""
        asked = time.monotonic()
        self.token = "the-owner" if is_it("same-value") else uuid.uuid4().hex
        words = ["SET", lock, self.token, "NX", "PX", lease_ms]
        if is_it("cached-held") and asked < self.cached_until:
            return int((self.cached_until - asked) * 1000)  # it held it a moment ago
        if is_it("no-expiry", "release-nothing"):
            words = words[:4]
        if is_it("short-lease"):
            words[5] = lease_ms // 4
        if is_it("clock-of-client"):  # client-1's is behind
            behind = 0.9 * lease_ms if self.hello["client"] == 1 else 0
            words[4:] = ["PXAT", int(time.time() * 1000 + lease_ms - behind)]
        if is_it("get-then-set"):
            if self.redis.ask("GET", lock) is not None:
                return None
            words.remove("NX")
        try:
            granted = self.redis.ask(*words)
        except OSError:
            if not is_it("no-answer-is-held"):
                raise
            granted, self.redis = True, Redis(self.timeout)
        if not granted and is_it("refusal-is-held") and random.random() < 0.05:
            granted = True
        if not granted and is_it("loser-renews"):
            self.redis.ask("PEXPIRE", lock, lease_ms)
        if not granted:
            return None
        counted = time.monotonic() if is_it("counts-from-reply", "no-answer-is-held") else asked
        self.cached_until = counted + lease_ms / 1000
        if is_it("set-in-background"):
            threading.Thread(target=self.keep_setting, args=(lock, lease_ms), daemon=True).start()
        return lease_ms - int((time.monotonic() - counted) * 1000) - 1

    def keep_setting(self, lock, lease_ms):
        """Renews by SET, three times, whether it still holds the lock or not."""
        redis = Redis(self.timeout)
        for _ in range(3):
            time.sleep(0.01)
            redis.ask("SET", lock, self.token, "PX", lease_ms)

    def acquire(self, request):
        lock, lease_ms = request["lock"], request["lease_ms"]
        give_up = time.monotonic() + request["wait_ms"] / 1000
        while True:
            left = self.try_once(lock, lease_ms)
            if left is not None and left > 0:
                self.tokens += 1
                return {"answer": "held", "valid_ms": left, "token": self.tokens}
            if left is not None:
                self.release(request)  # the reply was late: another may have the lock by now
            if is_it("loser-deletes") and random.random() < 0.05:
                self.redis.ask("DEL", lock)  # leaves nothing behind
            if time.monotonic() + self.retry > give_up:
                return {"answer": "not-held"}
            time.sleep(self.retry)

    def delete_later(self, lock):
        time.sleep(0.004)
        Redis(self.timeout).ask("DEL", lock)

    def release(self, request):
        lock = request["lock"]
        if is_it("release-nothing"):
            return {"answer": "released"}
        if is_it("plain-delete", "get-then-delete"):
            if is_it("get-then-delete") and self.redis.ask("GET", lock) != self.token.encode():
                return {"answer": "not-owner"}
            return {"answer": "released" if self.redis.ask("DEL", lock) else "gone"}
        removed = self.redis.ask("EVAL", COMPARE_AND_DELETE, 1, lock, self.token)
        if is_it("deletes-again"):
            self.redis.ask("DEL", lock)  # to be sure
        if is_it("deletes-later"):
            threading.Thread(target=self.delete_later, args=(lock,), daemon=True).start()
        return {"answer": {1: "released", -1: "not-owner", 0: "gone"}[removed]}

    def answer(self, request):
        try:
            if self.redis is None:
                self.redis = Redis(self.timeout)
            return getattr(self, request["do"])(request)
        except OSError as failure:  # it may have been done; if it was, the lease ends it
            print(request, failure, file=sys.stderr, flush=True)
            self.redis = None  # its answer may yet come on that connection
            return {"answer": "unknown"}


def main():
    hello = json.loads(sys.stdin.readline())
    say({"hello": 1, "driver": "planted " + MISTAKE})
    workers = {}
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "quit":
            break
        number = request["worker"]
        if number not in workers:
            workers[number] = Worker(hello)
        threading.Thread(target=serve, args=(workers[number], request), daemon=True).start()


def serve(worker, request):
    say({"id": request["id"], **worker.answer(request)})


saying = threading.Lock()


def say(line):
    with saying:
        print(json.dumps(line), flush=True)


main()
