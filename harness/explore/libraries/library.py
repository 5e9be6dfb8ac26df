"""What the programs of this folder in Python share: the line protocol around the lock of a library.

Each program is a library's lock, used as its manual says, and nothing of its own: what
`lockpick explore` finds is the library's.
"""
import json
import os
import sys
import time


def address(kind):
    """Where the server is: (host, port)."""
    host, port = os.environ["LOCKPICK_" + kind].split(",")[0].rsplit(":", 1)
    return host, int(port)


class Library:
    """Subclasses define start(hello), try_acquire(request) and release(request): true if it has the
    lock, and if the lock that was released was its own. What is raised is an answer that did not
    come. A rate limiter asks `once`, and has no release."""

    once = False

    def acquire(self, request):
        give_up = time.monotonic() + request["wait_ms"] / 1000
        while True:
            asked = time.monotonic_ns()  # from when on the lease counts
            if self.try_acquire(request):
                return {"answer": "held", "request_ns": asked}
            if self.once or time.monotonic() > give_up:
                return {"answer": "not-held"}
            time.sleep(self.retry)

    def answer(self, request):
        try:
            if request["do"] == "acquire":
                return self.acquire(request)
            return {"answer": "released" if self.release(request) else "gone"}
        except Exception as failure:  # it may have been done
            print(request, repr(failure), file=sys.stderr, flush=True)
            return {"answer": "unknown"}

    def run(self):
        hello = json.loads(sys.stdin.readline())
        self.retry = hello["retry_ms"] / 1000
        self.start(hello)
        print(json.dumps({"hello": 1, "driver": sys.argv[0]}), flush=True)
        for line in sys.stdin:
            request = json.loads(line)
            if request["do"] == "quit":
                break
            print(json.dumps({"id": request["id"], **self.answer(request)}), flush=True)
