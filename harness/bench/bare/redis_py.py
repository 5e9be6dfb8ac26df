#!/usr/bin/python3
"""redis-py's lock alone, in a loop: HOST:PORT LOCK SECONDS WARM_UP_SECONDS."""
import json
import sys
import time

import redis

address, name, seconds, warm_up = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
host, port = address.rsplit(":", 1)
client = redis.Redis(host, int(port), socket_timeout=5, socket_connect_timeout=5)
clock = time.monotonic_ns


def loop(length):
    acquires = []
    begun = clock()
    while clock() < begun + 1e9 * length:
        lock = client.lock(name, timeout=10, sleep=0.005)
        asked = clock()
        if not lock.acquire(blocking_timeout=30):
            sys.exit("it was not granted")
        acquires.append(clock() - asked)
        lock.release()
    return acquires, clock() - begun


loop(warm_up)
acquires, took = loop(seconds)
print(json.dumps({"locks": len(acquires), "ns": took, "p50_ns": sorted(acquires)[len(acquires) // 2]}))
