"""Its release asks whose the lock is, and then removes it: by then it may be another's. The twin lets
the item end that it has seen, and no other."""
from program import SOUND, Memcached, Program


class GetThenDelete(Program):
    server = Memcached("MEMCACHED")

    def set_token(self, request):
        line = "add %s 0 %d %d" % (request["lock"], request["lease_ms"] // 1000, len(self.token))
        return self.server.ask(line, self.token) == ["STORED"]

    def release(self, request):
        item = self.server.ask("gets " + request["lock"])
        if item[-1] != self.token:
            return "gone"
        if SOUND:
            removed = self.server.ask("cas %s 0 -1 0 %s" % (request["lock"], item[4]), "") == ["STORED"]
        else:
            removed = self.server.ask("delete " + request["lock"]) == ["DELETED"]
        return "released" if removed else "gone"


GetThenDelete().run()
