"""A semaphore with one permit, which looks how many are taken before it takes one: two clients may
both see the last one free."""
from program import SOUND, Program

ACQUIRE = (
    "if tonumber(redis.call('get', KEYS[1]) or '0') > 0 then return 0 end "
    "return redis.call('incr', KEYS[1])"
)


class LookThenCount(Program):
    def try_acquire(self, request):
        if SOUND:
            return self.redis.ask("EVAL", ACQUIRE, 1, request["lock"])
        if int(self.redis.ask("GET", request["lock"]) or 0) > 0:
            return False
        return self.redis.ask("INCR", request["lock"])

    def release(self, request):
        self.redis.ask("DECR", request["lock"])
        return "released"


LookThenCount().run()
