"""Speaks the line protocol of README.md, so that a driver in Python is only its lock.

Subclass Driver and define hello, acquire, release, and renew if it is asked to. Each takes the
request (a dict) and gives back the answer: {"answer": "held"}, ... One thread serves each worker,
so that a lock that knows its owner by the thread knows it. When the library was called, and when that
call returned, is added to an answer that does not say it; when the request was sent that was granted,
only the lock knows.
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

    def measure(self, request):
        """The loop of a measurement, with nothing in it but the lock and the clock."""
        clock = time.monotonic_ns
        hold, think = request["hold_us"] / 1e6, request["think_us"] / 1e6
        cycles = []
        begun = ended = clock()
        while len(cycles) < request["operations"] and ended < request["until_ns"]:
            asked = clock()
            answer = self.acquire(request)
            granted = clock()
            if "from_ns" in answer:  # of the library's call alone
                asked, granted = answer["from_ns"], answer["to_ns"]
            cycle = [asked - ended, granted - asked]
            ended = granted
            if answer["answer"] == "error":
                return answer
            if answer["answer"] != "held":
                cycle.append(answer["answer"])
            else:
                if hold > 0:
                    time.sleep(hold)
                left = clock()
                released = self.release(request)
                ended = clock()
                if released["answer"] == "error":
                    return released
                cycle += [left - granted, ended - left]
                if "request_ns" in answer:
                    cycle.append(answer["request_ns"] - asked)
                if released["answer"] != "released":
                    cycle.append(released["answer"])
            cycles.append(cycle)
            if think > 0:
                time.sleep(think)
        return {"answer": "measured", "from_ns": begun, "cycles": cycles}

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
            if request["do"] == "measure":
                times = {}  # each of its cycles has its own
            self.say({"id": request["id"], **times, **answer})

    def run(self):
        self.hello(json.loads(sys.stdin.readline()))
        self.say({"hello": PROTOCOL, "driver": self.name, "measure": True})
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
