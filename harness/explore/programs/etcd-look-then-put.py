"""It looks whether the key is there, and then puts it: two may find that it is not. The twin does both in
one transaction."""
import base64
import json

from program import SOUND, Etcd, Program


def code(text):
    return base64.b64encode(text.encode()).decode()


class LookThenPut(Program):
    server = Etcd("ETCD")

    def ask(self, path, **body):
        return self.server.ask("/v3/" + path, json.dumps(body))

    def set_token(self, request):
        key = code(request["lock"])
        lease = self.ask("lease/grant", TTL=request["lease_ms"] // 1000)["ID"]
        put = {"key": key, "value": code(self.token), "lease": lease}
        if SOUND:
            is_free = {"key": key, "target": "CREATE", "create_revision": 0}
            answer = self.ask("kv/txn", compare=[is_free], success=[{"request_put": put}])
            return answer.get("succeeded", False)
        if "kvs" in self.ask("kv/range", key=key):
            return False
        self.ask("kv/put", **put)
        return True

    def release(self, request):
        key = code(request["lock"])
        is_own = {"key": key, "target": "VALUE", "value": code(self.token)}
        answer = self.ask("kv/txn", compare=[is_own], success=[{"request_delete_range": {"key": key}}])
        return "released" if answer.get("succeeded", False) else "gone"


LookThenPut().run()
