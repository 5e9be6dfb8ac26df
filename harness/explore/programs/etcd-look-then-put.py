"""It looks whether the key is there, and then puts it: two may find that it is not. The twin does both in
one transaction."""
from program import SOUND, EtcdProgram, code


class LookThenPut(EtcdProgram):
    def set_token(self, request):
        key = code(request["lock"])
        put = {"key": key, "value": code(self.token), "lease": self.grant(request)}
        if SOUND:
            return self.put_if_free(put)
        if "kvs" in self.ask("kv/range", key=key):
            return False
        self.ask("kv/put", **put)
        return True


LookThenPut().run()
