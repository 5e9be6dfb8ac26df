"""Its connection sends again what was not answered: what the first one has taken, the second is refused, and
nobody knows who holds the lock. The twin looks whose it is."""
from program import SOUND, Program, Refused


class AskedAgain(Program):
    def ask_until_answered(self, *words):
        for _ in range(2):
            try:
                return self.redis.ask(*words)
            except Refused:
                raise
            except OSError:
                pass
        return self.redis.ask(*words)

    def try_acquire(self, request):
        self.draw()
        if self.ask_until_answered("SETNX", request["lock"], self.token):
            return True
        return SOUND and self.ask_until_answered("GET", request["lock"]) == self.token


AskedAgain().run()
