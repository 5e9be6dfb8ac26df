"""Who finds that the lock is over removes it, and then takes it: by then it may be another's, who did the same.
The twin puts its own in the place of what it has seen, in one step."""
import time

from program import SOUND, Program

REPLACE = "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('set', KEYS[1], ARGV[2]) return 1 end return 0"


class TwoCleaners(Program):
    def draw(self):
        super().draw()
        self.token = f"{time.time() + self.lease:.3f} {self.token}"

    def try_acquire(self, request):
        lock, self.lease = request["lock"], request["lease_ms"] / 1000
        self.draw()
        if self.redis.ask("SETNX", lock, self.token):
            return True
        seen = self.redis.ask("GET", lock)
        if seen is None or float(seen.split()[0]) > time.time():
            return False
        if SOUND:
            return self.redis.ask("EVAL", REPLACE, 1, lock, seen, self.token)
        self.redis.ask("DEL", lock)
        return self.redis.ask("SETNX", lock, self.token)


TwoCleaners().run()
