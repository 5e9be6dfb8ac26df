#!/usr/bin/python3
"""redis-py's asynchronous Lock (redis.asyncio.lock.Lock) as a driver for Lockpick.

One process and one thread serve thousands of workers, with as many connections as there are requests
at a time.

Install: apt-get install python3-redis
"""
import asyncio
import json
import os
import sys
import time

import redis.asyncio
from redis.asyncio.lock import Lock
from redis.exceptions import LockError, LockNotOwnedError, RedisError


class TimedLock(Lock):
    """Notes when it asks the server: its lease counts from then on."""

    async def do_acquire(self, token):
        self.asked = time.monotonic_ns()
        return await super().do_acquire(token)


class Locks:
    def __init__(self, hello):
        host, port = os.environ["LOCKPICK_REDIS"].split(",")[0].rsplit(":", 1)
        timeout = hello["request_ms"] / 1000
        self.redis = redis.asyncio.Redis(
            host=host.strip("[]"), port=int(port), socket_timeout=timeout, socket_connect_timeout=timeout
        )
        self.retry = hello["retry_ms"] / 1000
        self.held = {}  # by worker and name

    async def acquire(self, request):
        lease, wait = request["lease_ms"] / 1000, request["wait_ms"] / 1000
        lock = TimedLock(self.redis, request["lock"], lease, self.retry, thread_local=False)
        if not await lock.acquire(blocking_timeout=wait):
            return {"answer": "not-held"}
        self.held[request["worker"], request["lock"]] = lock
        return {"answer": "held", "request_ns": lock.asked}

    async def release(self, request):
        try:
            await self.held.pop((request["worker"], request["lock"])).release()
        except LockNotOwnedError:
            return {"answer": "not-owner"}
        except LockError:
            return {"answer": "gone"}
        return {"answer": "released"}

    async def answer(self, request):
        called = time.monotonic_ns()
        try:
            answer = await getattr(self, request["do"])(request)
        except (RedisError, OSError) as failure:  # it may have been done
            print(request, failure, file=sys.stderr, flush=True)
            answer = {"answer": "unknown"}
        say({"id": request["id"], "from_ns": called, "to_ns": time.monotonic_ns(), **answer})


def say(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


async def main():
    lines = asyncio.StreamReader(limit=262144)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    locks = Locks(json.loads(await lines.readline()))
    say({"hello": 1, "driver": "redis-py asyncio " + redis.__version__})
    tasks = set()  # the loop itself keeps no task from being collected
    while line := await lines.readline():
        request = json.loads(line)
        if request["do"] == "quit":
            break
        task = asyncio.create_task(locks.answer(request))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


asyncio.run(main())
