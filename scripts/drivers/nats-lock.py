#!/usr/bin/python3
"""A lock in NATS JetStream, as a bucket of keys (KV) makes one, as a driver for Lockpick.

The lock is the one message of its subject: it is published with the condition that the subject has
none, is removed by its number, which is the fencing token, and by the bucket's age limit, which is
the lease. It is written by hand, as Debian has no client for Python.

Sources: ADR-8 (JetStream based Key-Value Stores) and ADR-17 of nats-io/nats-architecture-and-design;
the client protocol at docs.nats.io/reference/reference-protocols/nats-protocol.

Install: apt-get install python3 nats-server
"""
import json
import os
import socket
import threading
import time

from lockpick_driver import Driver

BUCKET = "KV_lockpick"
TAKEN = 10071  # error code of JetStream: wrong last sequence


class Nats:
    """One connection, one request at a time. Raises OSError if the answer does not come."""

    def __init__(self, server, timeout):
        host, port = server.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        self.file.readline()  # INFO
        self.count = 0
        hello = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True}
        self.inbox = "_INBOX.%x.%x" % (os.getpid(), id(self))
        self.socket.sendall(b"CONNECT %s\r\nSUB %s.* 1\r\n" % (json.dumps(hello).encode(), self.inbox.encode()))

    def ask(self, subject, body, header=None):
        self.count += 1
        reply, payload = "%s.%d" % (self.inbox, self.count), json.dumps(body).encode()
        if header is None:
            head = "PUB %s %s %d\r\n" % (subject, reply, len(payload))
        else:
            header = "NATS/1.0\r\n%s\r\n\r\n" % header
            head = "HPUB %s %s %d %d\r\n%s" % (subject, reply, len(header), len(header) + len(payload), header)
        self.socket.sendall(head.encode() + payload + b"\r\n")
        while True:
            words = self.file.readline().split()
            if not words:
                raise OSError("the connection is closed")
            if words[0] == b"PING":
                self.socket.sendall(b"PONG\r\n")
            elif words[0] == b"-ERR":
                raise OSError(words)
            elif words[0] in (b"MSG", b"HMSG"):
                content = self.file.read(int(words[-1]) + 2)[:-2]
                if words[1].decode() != reply:
                    continue  # the answer to a request that was given up
                if words[0] == b"HMSG":
                    raise OSError(content.split(b"\r\n")[0])  # nobody serves it: 503
                return json.loads(content)


class NatsLock(Driver):
    def hello(self, hello):
        self.server = os.environ["LOCKPICK_CUSTOM"].split(",")[0]
        self.timeout, self.retry = hello["request_ms"] / 1000, hello["retry_ms"] / 1000
        self.local = threading.local()  # of each thread: its connection
        self.tokens = {}
        # One age limit for the bucket: the lease of all. The same again changes nothing.
        self.bucket = {
            "name": BUCKET, "subjects": ["$KV.lockpick.>"], "max_msgs_per_subject": 1,
            "max_age": hello["lease_ms"] * 1000000, "duplicate_window": min(hello["lease_ms"], 100) * 1000000,
            "storage": "file", "discard": "new", "retention": "limits", "num_replicas": 1,
        }

    def ask(self, subject, body, header=None):
        try:
            if getattr(self.local, "nats", None) is None:
                self.local.nats = Nats(self.server, self.timeout)
                made = self.local.nats.ask("$JS.API.STREAM.CREATE." + BUCKET, self.bucket)
                if "error" in made:
                    raise OSError(made["error"])
            return self.local.nats.ask(subject, body, header)
        except OSError:
            self.local.nats = None
            raise

    def acquire(self, request):
        give_up = time.monotonic() + request["wait_ms"] / 1000
        while True:
            asked = time.monotonic_ns()  # the lease counts from before the request
            try:
                answer = self.ask("$KV.lockpick." + request["lock"], "held",
                                  "Nats-Expected-Last-Subject-Sequence: 0")
            except OSError:
                return {"answer": "unknown"}
            if "error" not in answer:
                self.tokens[request["worker"]] = answer["seq"]
                ends = asked + request["lease_ms"] * 1000000
                if ends > time.monotonic_ns():
                    return {"answer": "held", "token": answer["seq"], "request_ns": asked, "valid_until_ns": ends}
            elif answer["error"].get("err_code") != TAKEN:
                return {"answer": "error", "why": str(answer["error"])}
            if time.monotonic() > give_up:
                return {"answer": "not-held"}
            time.sleep(self.retry)

    def release(self, request):
        try:
            answer = self.ask("$JS.API.STREAM.MSG.DELETE." + BUCKET, {"seq": self.tokens[request["worker"]]})
        except OSError:
            return {"answer": "unknown"}
        if "error" not in answer:
            return {"answer": "released"}
        return {"answer": "gone"}


NatsLock("nats").run()
