"""Speaks the line protocol of README.md, so that a driver in Python is only its lock.

Subclass Driver and define hello, acquire, release, and renew if it is asked to. Each takes the
request (a dict) and gives back the answer: {"answer": "held"}, ... One thread serves each worker,
so that a lock that knows its owner by the thread knows it. When the library was called, and when that
call returned, is added to the answer; when the request was sent that was granted, only the lock knows.
"""
import json
import queue
import sys
import threading
import time
import traceback

PROTOCOL = 1


class Driver:
    def __init__(self, name):
        self.name = name
        self.printing = threading.Lock()

    def say(self, line):
        with self.printing:
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()

    def lost(self, worker, lock, reason="not-owner"):
        """To be called by a lock that learns that its hold is gone."""
        self.say({"answer": "lost", "worker": worker, "lock": lock, "reason": reason})

    def serve(self, requests):
        while True:
            request = requests.get()
            called = time.monotonic_ns()
            try:
                answer = getattr(self, request["do"])(request)
            except Exception as failure:  # a bug of the driver, or nothing to lock with
                traceback.print_exc()
                answer = {"answer": "error", "why": repr(failure)}
            times = {"from_ns": called, "to_ns": time.monotonic_ns()}
            self.say({"id": request["id"], **times, **answer})

    def run(self):
        self.hello(json.loads(sys.stdin.readline()))
        self.say({"hello": PROTOCOL, "driver": self.name})
        workers = {}
        for line in sys.stdin:
            request = json.loads(line)
            if request["do"] == "quit":
                break
            worker = request["worker"]
            if worker not in workers:
                workers[worker] = queue.SimpleQueue()
                threading.Thread(target=self.serve, args=(workers[worker],), daemon=True).start()
            workers[worker].put(request)
