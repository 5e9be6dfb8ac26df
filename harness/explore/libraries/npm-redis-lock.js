#!/usr/bin/node
// npm's redis-lock: its release removes the lock if its own time is not over, whoever has it by then.
const { drive, load, url } = require("./library.js");

let lock, done;
drive({
  name: "redis-lock",
  async start(hello) {
    const client = load("redis-4").createClient({ url });
    await client.connect();
    lock = load("redis-lock")(client, hello.retry_ms);
  },
  async tryAcquire(request) {
    done = await lock(request.lock, request.lease_ms);
    return true;
  },
  async release() {
    return (await done()) === 1;
  },
});
