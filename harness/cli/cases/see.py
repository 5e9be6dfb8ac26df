"""see.py CODE: runs it with the events of the only trial of small, a run in this folder, as `lockpick history` tells them."""
import json
import os
import subprocess
import sys

history = subprocess.run([os.environ["LOCKPICK"], "history", "small"], check=True, capture_output=True, text=True)
events = [json.loads(line) for line in history.stdout.splitlines()]


def of(kind, among=events, **fields):
    """Those of a kind with such fields."""
    return [event for event in among if event["event"] == kind and fields.items() <= event.items()]


def between(first, last):
    """From the first of the one kind up to the first of the other."""
    return events[events.index(of(first)[0]):events.index(of(last)[0])]


def reading(node, figure):
    """The last that was read of that figure of a node: 0 is the machine and the driver, -1 the first server."""
    return ([None] + [event for event in of("usage", node=node, figure=figure) if event["process"]])[-1]


def rounds():
    """How often all was read."""
    return len(of("usage", node=0, process=0))


begun = of("acquire-invoke")
granted = {grant["operation"]: grant["t"] for grant in of("acquire-return", outcome="ok")}
loads = of("load")
stop = of("stop-asked")[0]
try:
    exec(sys.argv[1])
except Exception:
    print("of these events, the first and the last:", *history.stdout.splitlines()[:30], *history.stdout.splitlines()[-10:], sep="\n", file=sys.stderr)
    raise
