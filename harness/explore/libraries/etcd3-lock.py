#!/usr/bin/python3
"""etcd3's Lock."""
import etcd3

from library import Library, address


class Etcd3(Library):
    def start(self, hello):
        host, port = address("ETCD")
        self.client = etcd3.client(host=host, port=port)
        self.wait = hello["wait_ms"] / 1000

    def try_acquire(self, request):
        self.lock = self.client.lock(request["lock"], ttl=request["lease_ms"] // 1000)
        return self.lock.acquire(timeout=request["wait_ms"] / 1000)

    def release(self, request):
        return self.lock.release()


Etcd3().run()
