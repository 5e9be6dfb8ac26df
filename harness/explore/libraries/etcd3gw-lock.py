#!/usr/bin/python3
"""etcd3gw's Lock, by `with` as its manual has it: that does not look whether the lock was acquired. With the argument
`acquire` it is asked, and what it answers is heeded."""
import sys

import etcd3gw

from library import Library, address


class Etcd3gw(Library):
    def start(self, hello):
        host, port = address("ETCD")
        self.client = etcd3gw.Etcd3Client(host=host, port=port, api_path="/v3/")

    def try_acquire(self, request):
        self.lock = self.client.lock(request["lock"], ttl=request["lease_ms"] // 1000)
        if "acquire" in sys.argv:
            return self.lock.acquire()
        self.lock.__enter__()
        return True

    def release(self, request):
        return self.lock.release()


Etcd3gw().run()
