#!/usr/bin/python3
"""A small lock service over HTTP, as one writes it in an afternoon: something to try with Lockpick.

    lock-service.py --listen HOST:PORT --data FOLDER [--sync]

POST /acquire {"name": ..., "ttl_ms": ...}   200 {"token": N}, or 409: somebody has it
POST /release {"name": ..., "token": N}      200, or 404: it is not held by this token
GET  /health                                 200

It keeps its locks in FOLDER, so that a restart does not lose them. It has a mistake: it saves them a
little later, when it has already answered. With --sync it saves them first.

Install: apt-get install python3
"""
import json
import os
import socketserver
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SAVED_LATER_S = 2


class Locks:
    def __init__(self, path, sync):
        self.path, self.sync = path, sync
        self.mutex = threading.Lock()
        self.last, self.held = 0, {}  # name: (token, when it ends)
        if os.path.exists(path):
            with open(path) as file:
                self.last, self.held = json.load(file)

    def save(self):
        with open(self.path + ".new", "w") as file:
            json.dump([self.last, self.held], file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.path + ".new", self.path)

    def save_later(self):
        while True:
            time.sleep(SAVED_LATER_S)
            with self.mutex:
                self.save()

    def acquire(self, name, ttl_ms):
        with self.mutex:
            now = time.time()
            if self.held.get(name, (0, 0))[1] > now:
                return None
            self.last += 1
            self.held[name] = self.last, now + ttl_ms / 1000
            if self.sync:
                self.save()
            return self.last

    def release(self, name, token):
        with self.mutex:
            if self.held.get(name, (0, 0))[0] != token:
                return False
            del self.held[name]
            if self.sync:
                self.save()
            return True


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # an answer is sent in one piece
    locks = None

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.answer(200 if self.path == "/health" else 404, {})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/acquire":
            token = self.locks.acquire(asked["name"], asked["ttl_ms"])
            self.answer(409 if token is None else 200, {"token": token})
        elif self.path == "/release":
            released = self.locks.release(asked["name"], asked["token"])
            self.answer(200 if released else 404, {})
        else:
            self.answer(404, {})

    def log_message(self, format, *arguments):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def server_bind(self):
        """Without a look for the host's name, which takes seconds where nobody answers."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address


def option(name):
    return sys.argv[sys.argv.index(name) + 1]


if __name__ == "__main__":
    host, port = option("--listen").rsplit(":", 1)
    sync = "--sync" in sys.argv
    Handler.locks = Locks(os.path.join(option("--data"), "locks.json"), sync)
    if not sync:
        threading.Thread(target=Handler.locks.save_later, daemon=True).start()
    Server((host, int(port)), Handler).serve_forever()
