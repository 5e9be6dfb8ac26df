"""Its release is sent again if the answer does not come. The first may have been done, and the lock
be another's by now; the twin's release compares tokens, and can be sent as often as one likes."""
from program import SOUND, Program


class ReleaseAgain(Program):
    def release_once(self, request):
        if SOUND:
            return super().release(request)
        return "released" if self.redis.ask("DEL", request["lock"]) else "gone"

    def release(self, request):
        try:
            return self.release_once(request)
        except OSError:
            word = self.release_once(request)
            return word if word == "released" else "unknown"


ReleaseAgain().run()
