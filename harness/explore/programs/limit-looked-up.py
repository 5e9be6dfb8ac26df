"""A rate limiter, which looks how many were let through in this window before it lets one through:
two clients may both see that one is left."""
from program import SOUND, Program

COUNT = (
    "local count = redis.call('incr', KEYS[1]) "
    "if count == 1 then redis.call('pexpire', KEYS[1], ARGV[2]) end "
    "return count <= tonumber(ARGV[1]) and 1 or 0"
)


class LimitLookedUp(Program):
    def try_acquire(self, request):
        lock, permits, window = request["lock"], request["permits"], request["lease_ms"]
        if SOUND:
            return self.redis.ask("EVAL", COUNT, 1, lock, permits, window)
        if int(self.redis.ask("GET", lock) or 0) >= permits:
            return False
        if self.redis.ask("INCR", lock) == 1:
            self.redis.ask("PEXPIRE", lock, window)
        return True


LimitLookedUp().run()
