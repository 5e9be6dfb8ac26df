"""It takes the key by a transaction, and gives it a lease by a put: who dies in between leaves a key without
one. The twin gives it the lease in the transaction."""
from program import SOUND, EtcdProgram, code


class LeasedLater(EtcdProgram):
    def set_token(self, request):
        put = {"key": code(request["lock"]), "value": code(self.token)}
        leased = {**put, "lease": self.grant(request)}
        if SOUND or not self.put_if_free(put):
            return SOUND and self.put_if_free(leased)
        self.ask("kv/put", **leased)
        return True


LeasedLater().run()
