"""What the programs of this folder share: the line protocol, and a server over one connection.

Each program is a lock with one bug, as people write them; with the argument `sound` it is its twin
without. `lockpick explore` is to find the bug, and nothing in the twin.
"""
import base64
import http.client
import json
import os
import socket
import sys
import time
import uuid

SOUND = "sound" in sys.argv
# Releases the lock if it is the caller's, in one step.
RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"


class Refused(OSError):
    """The server answered with an error."""


class Server:
    """Raises OSError if an answer does not come, and connects again for the next request."""

    def __init__(self, kind):
        self.kind, self.file = kind, None

    def address(self):
        host, port = os.environ["LOCKPICK_" + self.kind].split(",")[0].rsplit(":", 1)
        return host, int(port)

    def connect(self):
        self.socket = socket.create_connection(self.address())
        self.file = self.socket.makefile("rb")

    def ask(self, *words):
        try:
            if self.file is None:
                self.connect()
            return self.exchange([str(word).encode() for word in words])
        except OSError:
            self.file = None
            raise


class Redis(Server):
    def exchange(self, words):
        parts = b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
        self.socket.sendall(b"*%d\r\n" % len(words) + parts)
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise OSError("the connection is closed")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise Refused(rest.decode())
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2].decode()
        return int(rest) if kind == b":" else rest.decode()


class Memcached(Server):
    """ask(line), or ask(line, data): the first line of the answer, and what comes with a value."""

    def exchange(self, lines):
        self.socket.sendall(b"".join(line + b"\r\n" for line in lines))
        words = self.file.readline().decode().split()
        if not words:
            raise OSError("the connection is closed")
        if words[0] != "VALUE":
            return words
        value = self.file.read(int(words[3]) + 2)[:-2].decode()
        self.file.readline()
        return words + [value]


class Etcd(Server):
    """ask(path, body): the answer, by the JSON gateway."""

    def connect(self):
        self.file = http.client.HTTPConnection(*self.address())

    def exchange(self, words):
        try:
            self.file.request("POST", words[0].decode(), words[1])
            return json.loads(self.file.getresponse().read())
        except http.client.HTTPException as failure:
            raise OSError(repr(failure)) from failure


class Program:
    """Subclasses define try_acquire(request), which is true once the lock is held, and
    release(request), which answers a word of the protocol."""

    def __init__(self):
        self.redis, self.token, self.fencing_token, self.job = Redis("REDIS"), None, None, None

    def hello(self, hello):
        self.retry = hello["retry_ms"] / 1000

    def draw(self):
        self.token = uuid.uuid4().hex

    def set_token(self, request):
        return self.redis.ask("SET", request["lock"], self.token, "NX", "PX", request["lease_ms"])

    def try_acquire(self, request):
        self.draw()
        return self.set_token(request)

    def release(self, request):
        removed = self.redis.ask("EVAL", RELEASE, 1, request["lock"], self.token)
        return "released" if removed else "gone"

    def acquire(self, request):
        give_up = time.monotonic() + request["wait_ms"] / 1000
        while not self.try_acquire(request):
            if time.monotonic() > give_up:
                return "not-held"
            time.sleep(self.retry)
        return "held"

    def answer(self, request):
        try:
            word = getattr(self, request["do"])(request)
        except OSError as failure:  # it may have been done
            print(request, failure, file=sys.stderr, flush=True)
            word = "unknown"
        line = {"id": request["id"], "answer": word}
        if word == "held" and self.fencing_token is not None:
            line["token"] = self.fencing_token
        if word == "held" and self.job is not None:
            line["job"] = self.job
        return line

    def run(self):
        self.hello(json.loads(sys.stdin.readline()))
        print(json.dumps({"hello": 1, "driver": sys.argv[0]}), flush=True)
        for line in sys.stdin:
            request = json.loads(line)
            if request["do"] == "quit":
                break
            print(json.dumps(self.answer(request)), flush=True)


def code(text):
    return base64.b64encode(text.encode()).decode()


class EtcdProgram(Program):
    """Of a lock that is a key with a lease: subclasses define set_token(request)."""

    server = Etcd("ETCD")

    def ask(self, path, **body):
        return self.server.ask("/v3/" + path, json.dumps(body))

    def grant(self, request):
        return self.ask("lease/grant", TTL=request["lease_ms"] // 1000)["ID"]

    def put_if_free(self, put):
        is_free = {"key": put["key"], "target": "CREATE", "create_revision": 0}
        answer = self.ask("kv/txn", compare=[is_free], success=[{"request_put": put}])
        return answer.get("succeeded", False)

    def release(self, request):
        key = code(request["lock"])
        is_own = {"key": key, "target": "VALUE", "value": code(self.token)}
        answer = self.ask("kv/txn", compare=[is_own], success=[{"request_delete_range": {"key": key}}])
        return "released" if answer.get("succeeded", False) else "gone"
