#!/usr/bin/python3
"""limits, a library of rate limiters, which Flask-Limiter and others use: by one fixed window
(the default), or by one that moves."""
import os
import sys

import limits

from library import Library

STORE = next(kind for kind in ("REDIS", "MEMCACHED") if "LOCKPICK_" + kind in os.environ)
STRATEGIES = {
    "fixed": limits.strategies.FixedWindowRateLimiter,
    "moving": limits.strategies.MovingWindowRateLimiter,
}


class Limits(Library):
    once = True

    def start(self, hello):
        place = os.environ["LOCKPICK_" + STORE].split(",")[0]
        # Its limiter has a weak reference to it.
        self.storage = limits.storage.storage_from_string(f"{STORE.lower()}://{place}")
        self.limiter = STRATEGIES[sys.argv[1]](self.storage)

    def try_acquire(self, request):
        window = limits.RateLimitItemPerSecond(request["permits"], request["lease_ms"] // 1000)
        return self.limiter.hit(window, request["lock"])


Limits().run()
