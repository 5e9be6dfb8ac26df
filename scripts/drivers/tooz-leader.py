#!/usr/bin/python3
"""OpenStack's tooz: the leader election of its memcached driver, as a driver for Lockpick.

Whoever runs for election is a member with a heart of its own, and resigns by stopping it: this driver of tooz
has no stand_down_group_leader.

Install: apt-get install python3-tooz python3-pymemcache
"""
import os
import time
import uuid

import tooz
from tooz import coordination

from lockpick_driver import Driver


class Leader(Driver):
    def hello(self, hello):
        self.settings = hello
        self.members = {}  # worker: its member

    def acquire(self, request):
        # Sockets, memberships and leaders time out together, after whole seconds.
        url = "memcached://%s?timeout=%d" % (os.environ["LOCKPICK_MEMCACHED"], request["lease_ms"] // 1000)
        group = request["lock"].encode()
        elected = []
        give_up = time.monotonic() + request["wait_ms"] / 1000
        try:
            member = coordination.get_coordinator(url, uuid.uuid4().hex.encode())
            member.start(start_heart=True)
            try:
                member.create_group(group).get()
            except coordination.GroupAlreadyExist:
                pass
            member.join_group(group).get()
            member.watch_elected_as_leader(group, elected.append)
            while True:
                asked = time.monotonic_ns()
                member.run_watchers()
                if elected:
                    self.members[request["worker"]] = member
                    # memcached counts whole seconds: the last one may be over at once.
                    valid = (request["lease_ms"] // 1000 - 1) * 1_000_000_000
                    return {"answer": "held", "request_ns": asked, "valid_until_ns": asked + valid}
                if time.monotonic() >= give_up:
                    member.stop()
                    return {"answer": "not-held"}
                time.sleep(self.settings["retry_ms"] / 1000)
        except tooz.ToozError as error:
            return {"answer": "unknown", "why": str(error)}

    def release(self, request):
        member = self.members.pop(request["worker"])
        try:
            leads = member.get_leader(request["lock"].encode()).get() == member._member_id
            member.stop()
            return {"answer": "released" if leads else "not-owner"}
        except tooz.ToozError as error:
            return {"answer": "unknown", "why": str(error)}


Leader("tooz, memcached").run()
