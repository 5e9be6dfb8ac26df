"""Its release asks whose the lock is, and then removes it: by then it may be another's."""
from program import SOUND, Program


class GetThenDelete(Program):
    def release(self, request):
        if SOUND:
            return super().release(request)
        if self.redis.ask("GET", request["lock"]) != self.token:
            return "not-owner"
        self.redis.ask("DEL", request["lock"])
        return "released"


GetThenDelete().run()
