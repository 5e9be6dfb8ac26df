"""Its token names the host and the worker, and not the process: a release by one takes the lock of
another for its own."""
import socket

from program import SOUND, Program


class SameToken(Program):
    def try_acquire(self, request):
        self.draw()
        if not SOUND:
            self.token = "%s-%d" % (socket.gethostname(), request["worker"])
        return self.set_token(request)


SameToken().run()
