#!/usr/bin/python3
"""The client of lock-service.py, as a driver for Lockpick.

Install: apt-get install python3
"""
import http.client
import json
import os
import threading
import time

from lockpick_driver import Driver


class LockService(Driver):
    def hello(self, hello):
        self.server = os.environ["LOCKPICK_CUSTOM"].split(",")[0]
        self.timeout, self.retry = hello["request_ms"] / 1000, hello["retry_ms"] / 1000
        self.worker = threading.local()  # of each thread: its connection
        self.tokens = {}

    def ask(self, path, body):
        """The status and the answer; OSError if none came. The next request connects anew."""
        try:
            if getattr(self.worker, "connection", None) is None:
                self.worker.connection = http.client.HTTPConnection(self.server, timeout=self.timeout)
            self.worker.connection.request("POST", path, json.dumps(body))
            answer = self.worker.connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException) as failure:
            self.worker.connection = None
            raise OSError(failure) from failure

    def acquire(self, request):
        give_up = time.monotonic() + request["wait_ms"] / 1000
        while True:
            asked = time.monotonic_ns()  # the lease counts from before the request
            try:
                status, answer = self.ask(
                    "/acquire", {"name": request["lock"], "ttl_ms": request["lease_ms"]}
                )
            except OSError:
                return {"answer": "unknown"}
            if status == 200:
                self.tokens[request["worker"]] = answer["token"]
                ends = asked + request["lease_ms"] * 1000000
                if ends > time.monotonic_ns():
                    return {"answer": "held", "request_ns": asked, "valid_until_ns": ends}
            if time.monotonic() > give_up:
                return {"answer": "not-held"}
            time.sleep(self.retry)

    def release(self, request):
        body = {"name": request["lock"], "token": self.tokens[request["worker"]]}
        try:
            status, _ = self.ask("/release", body)
        except OSError:
            return {"answer": "unknown"}
        return {"answer": "released" if status == 200 else "not-owner"}


LockService("lock-service").run()
