#!/usr/bin/python3
"""A driver to begin with: one Redis key, written by hand. It needs only Python.

Replace acquire and release by your lock's. README.md has the protocol.
"""
import json
import os
import socket
import sys
import threading
import time
import uuid

RELEASE = (
    "local value = redis.call('get', KEYS[1]) "
    "if value == ARGV[1] then return redis.call('del', KEYS[1]) end "
    "return value and -1 or 0"
)


class Redis:
    """One connection, one request at a time. Raises OSError if the answer does not come."""

    def __init__(self, timeout):
        host, port = os.environ["LOCKPICK_REDIS"].split(",")[0].rsplit(":", 1)
        self.socket = socket.create_connection((host.strip("[]"), int(port)), timeout)
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


class Worker:
    """One thread of the application, with a connection of its own."""

    def __init__(self, hello):
        self.timeout, self.retry = hello["request_ms"] / 1000, hello["retry_ms"] / 1000
        self.redis, self.token = None, None

    def acquire(self, request):
        give_up = time.monotonic() + request["wait_ms"] / 1000
        while True:
            self.token = uuid.uuid4().hex
            asked = time.monotonic_ns()  # the lease counts from before the request
            if self.redis.ask("SET", request["lock"], self.token, "NX", "PX", request["lease_ms"]):
                ends = asked + request["lease_ms"] * 1000000
                if ends > time.monotonic_ns():
                    return {"answer": "held", "request_ns": asked, "valid_until_ns": ends}
                self.release(request)  # the reply was late: another may have the lock by now
            if time.monotonic() + self.retry > give_up:
                return {"answer": "not-held"}
            time.sleep(self.retry)

    def release(self, request):
        removed = self.redis.ask("EVAL", RELEASE, 1, request["lock"], self.token)
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
    say({"hello": 1, "driver": "template"})
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
    called = time.monotonic_ns()
    answer = worker.answer(request)
    say({"id": request["id"], "from_ns": called, "to_ns": time.monotonic_ns(), **answer})


saying = threading.Lock()


def say(line):
    with saying:
        print(json.dumps(line), flush=True)


main()
