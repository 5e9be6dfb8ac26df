"""It releases the lock in any case, as `finally` does around an acquire, and so one that it was refused."""
from program import SOUND, Program


class ReleasedInAnyCase(Program):
    def try_acquire(self, request):
        is_granted = super().try_acquire(request)
        if not is_granted and not SOUND:
            self.redis.ask("DEL", request["lock"])
        return is_granted


ReleasedInAnyCase().run()
