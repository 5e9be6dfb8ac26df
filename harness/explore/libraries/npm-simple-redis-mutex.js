#!/usr/bin/node
// npm's simple-redis-mutex: a fencing token that comes from a request of its own, after the lock was granted.
const { drive, load, url } = require("./library.js");

let client, release;
drive({
  name: "simple-redis-mutex",
  async start() {
    client = load("redis").createClient({ url });
    await client.connect();
  },
  async tryAcquire(request) {
    let held;
    [held, release] = await load("simple-redis-mutex").tryLock(client, request.lock, { timeout: request.lease_ms });
    return held && release.fencingToken;
  },
  async release() {
    await release();
    return true;
  },
});
