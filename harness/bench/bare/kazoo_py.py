#!/usr/bin/python3
"""kazoo's lock alone, in a loop: HOST:PORT LOCK SECONDS WARM_UP_SECONDS."""
import json
import sys
import time

from kazoo.client import KazooClient

address, name, seconds, warm_up = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
client = KazooClient(address, timeout=10)
client.start(timeout=10)
clock = time.monotonic_ns


def loop(length):
    acquires = []
    begun = clock()
    while clock() < begun + 1e9 * length:
        lock = client.Lock("/" + name, "bare")
        asked = clock()
        if not lock.acquire(timeout=30):
            sys.exit("it was not granted")
        acquires.append(clock() - asked)
        lock.release()
    return acquires, clock() - begun


loop(warm_up)
acquires, took = loop(seconds)
print(json.dumps({"locks": len(acquires), "ns": took, "p50_ns": sorted(acquires)[len(acquires) // 2]}))
client.stop()
