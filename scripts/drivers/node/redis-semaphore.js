// redis-semaphore's Mutex (of one server) or RedlockMutex (of several) as a driver for Lockpick.
//
// Install: npm install --prefix scripts/drivers/node
const Redis = require("ioredis");
const { Mutex, RedlockMutex } = require("redis-semaphore");
const { connect, lost, noteSent, run, sent } = require("./lockpick_driver.js");

// The library renews by a timer that looks at no failure: a renewal that times out would end the
// process. An application that uses it must do as much as this; the timer tries again.
process.on("unhandledRejection", (failure) => console.error(failure.message));

const held = new Map(); // worker: its lock
let clients, retry;

run("redis-semaphore", {
  async hello(hello) {
    clients = await connect(Redis, hello);
    noteSent(clients);
    retry = hello.retry_ms;
  },

  async acquire(request) {
    const options = {
      lockTimeout: request.lease_ms, // renewed by the library each 0.8 of it
      acquireTimeout: Math.max(request.wait_ms, 1),
      retryInterval: Math.max(retry, 1),
      onLockLost: () => lost(request.worker, request.lock),
    };
    const mutex = clients.length === 1
      ? new Mutex(clients[0], request.lock, options)
      : new RedlockMutex(clients, request.lock, options);
    try {
      if (!(await mutex.tryAcquire())) return { answer: "not-held" };
      held.set(request.worker, mutex);
      return { answer: "held", request_ns: sent() }; // the last one is the one that was granted
    } catch (failure) {
      return { answer: "unknown", why: failure.message };
    }
  },

  async release(request) {
    const mutex = held.get(request.worker);
    if (!mutex.isAcquired) return { answer: "gone" }; // it was told that the lock is lost
    try {
      await mutex.release(); // does not say whether there was anything to remove
      return { answer: "released" };
    } catch (failure) {
      return { answer: "unknown", why: failure.message };
    }
  },
});
