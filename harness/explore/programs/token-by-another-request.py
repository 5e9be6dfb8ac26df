"""Its fencing token comes from a second request: a client that was slow between the two has a
higher one than the client that was granted the lock after it."""
from program import SOUND, Program

ACQUIRE = (
    "if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then "
    "return redis.call('incr', KEYS[2]) end return 0"
)


class TokenByAnotherRequest(Program):
    def try_acquire(self, request):
        self.draw()
        lock, counter = request["lock"], request["lock"] + ":token"
        if SOUND:
            self.fencing_token = self.redis.ask(
                "EVAL", ACQUIRE, 2, lock, counter, self.token, request["lease_ms"]
            )
            return self.fencing_token
        if not self.set_token(request):
            return False
        self.fencing_token = self.redis.ask("INCR", counter)
        return True


TokenByAnotherRequest().run()
