#!/usr/bin/node
// npm's redis-promise-lock: SETNX, and EXPIRE after it; its release does not ask whose the lock is.
const { drive, load, url } = require("./library.js");

let lock;
drive({
  name: "redis-promise-lock",
  async start(hello) {
    const client = load("redis-4").createClient({ url });
    await client.connect();
    const { Lock } = load("redis-promise-lock");
    lock = new Lock(client, { ttl: hello.lease_ms / 1000, retryLimit: 1, retryDelay: hello.retry_ms });
  },
  tryAcquire: (request) => lock.acquireLock(request.lock),
  async release(request) {
    await lock.releaseLock(request.lock);
    return true;
  },
});
