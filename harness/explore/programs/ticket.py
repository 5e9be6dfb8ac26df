"""A ticket lock, of which who waits raises the number that is served once its holder has gone: of two that have seen so, the
second one passes over the head of the first. The twin raises it only if it is still what was seen."""
from program import SOUND, Program

DRAW = (
    "local ticket = redis.call('incr', KEYS[1] .. ':tickets') - 1 "
    "redis.call('set', KEYS[1] .. ':here:' .. ticket, 1, 'px', ARGV[1]) return ticket"
)
LOOK = (
    "redis.call('set', KEYS[1] .. ':here:' .. ARGV[2], 1, 'px', ARGV[1]) "
    "return tonumber(redis.call('get', KEYS[1] .. ':served') or 0)"
)
RAISE = "if %s then return redis.call('incr', KEYS[1] .. ':served') end"
IS_SERVED = "tonumber(redis.call('get', KEYS[1] .. ':served') or 0) == tonumber(ARGV[1])"
HAS_GONE = "redis.call('exists', KEYS[1] .. ':here:' .. ARGV[1]) == 0"


class Ticket(Program):
    def acquire(self, request):
        self.ticket = self.redis.ask("EVAL", DRAW, 1, request["lock"], request["lease_ms"])
        return super().acquire(request)

    def try_acquire(self, request):
        lock, lease = request["lock"], request["lease_ms"]
        served = self.redis.ask("EVAL", LOOK, 1, lock, lease, self.ticket)
        if served > self.ticket:  # it was passed over
            self.ticket = self.redis.ask("EVAL", DRAW, 1, lock, lease)
        elif served < self.ticket:
            self.redis.ask("EVAL", RAISE % (f"{HAS_GONE} and {IS_SERVED}" if SOUND else HAS_GONE), 1, lock, served)
        return served == self.ticket

    def release(self, request):
        return "released" if self.redis.ask("EVAL", RAISE % IS_SERVED, 1, request["lock"], self.ticket) else "gone"


Ticket().run()
