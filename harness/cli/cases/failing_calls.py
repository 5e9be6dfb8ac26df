"""Runs `lockpick ARGUMENTS` with one call failing (harness/cli/fail_preload.c), each in its turn, as SQLite is tested: it does not crash or
hang, nor say that all is well when it is not; and what claims to be whole is. `failing_calls.py FOLDER ARGUMENTS`, into FOLDER.

Of more calls than MOST_CALLS, so many are tried, from the first to the last; with $LOCKPICK_EVERY_CALL all.
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree

MOST_CALLS = 10
KINDS = ["write", "file", "fsync", "fork", "mmap", "malloc"]
REASONS = ["No space left on device", "memory", "Resource temporarily unavailable", "Input/output error", "could not be written"]
WHOLE = {"result.json": json.loads, "junit.xml": xml.etree.ElementTree.fromstring, "report.html": lambda page: page.index("</html>")}

folder, *arguments = sys.argv[1:]
program = os.environ["LOCKPICK"]


def run(kind, failing):
    """What it came to with that call failing, and how many calls of the kind there were."""
    shutil.rmtree(folder, ignore_errors=True)
    with open("state", "wb") as state:
        state.write(struct.pack("=QQ", 0, failing))
    # Helpers, gnuplot above all, are no part of this.
    environment = dict(os.environ, PATH="/nowhere", LOCKPICK_FAIL=kind, LOCKPICK_FAIL_STATE=os.path.abspath("state"),
                       LD_PRELOAD=os.path.join(os.path.dirname(program), "lockpick-fail.so"))
    result = subprocess.run(["/usr/bin/timeout", "100", program, *arguments], env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    with open("state", "rb") as state:
        return result, struct.unpack("=QQ", state.read())[0]


def what_is_wrong(result, usual):
    says_why = any(reason in result.stdout + result.stderr for reason in REASONS)
    if not 0 <= result.returncode <= 5:
        return "it did not end by itself"
    if result.returncode != 0 and not says_why:
        return "it did not say why"
    if result.returncode == 0 and says_why:
        return "it ended well, although something had failed"
    if result.returncode == 0 and len(result.stdout) < len(usual.stdout) // 2:
        return "it ended well, with half of its output"
    for name, read in WHOLE.items():
        path = os.path.join(folder, name)
        if os.path.exists(path):
            try:
                with open(path, encoding="utf-8") as file:
                    read(file.read())
            except (ValueError, xml.etree.ElementTree.ParseError):
                return name + " is not whole"
    return None


for kind in KINDS:
    usual, calls = run(kind, 0)
    if usual.returncode != 0 or (calls == 0 and kind in ("write", "malloc")):
        sys.exit(f"{calls} calls of kind {kind}, exit code {usual.returncode}: {usual.stderr}")
    tried = calls if "LOCKPICK_EVERY_CALL" in os.environ else min(calls, MOST_CALLS)
    for i in range(tried):
        failing = 1 + (i * (calls - 1) // (tried - 1) if tried > 1 else 0)
        result, reached = run(kind, failing)
        wrong = what_is_wrong(result, usual)
        if reached >= failing and wrong:
            sys.exit(f"call {failing} of kind {kind} of some {calls} fails: exit code {result.returncode}: {wrong}: "
                     f"{result.stdout}{result.stderr}")
    print(f"{kind}: {tried} of {calls} calls")
