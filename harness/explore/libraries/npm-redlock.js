#!/usr/bin/node
// npm's redlock on one server: the beta of version 5, or what the argument names (redlock-4).
const { drive, load, url } = require("./library.js");

const exported = load(process.argv[2] ?? "redlock-5");
const Redlock = exported.Redlock ?? exported.default ?? exported;
let redlock, held;

// What it refuses is an error of these names.
async function isDone(promise) {
  try {
    held = await promise;
    return true;
  } catch (failure) {
    if (["LockError", "ExecutionError"].includes(failure.name)) return false;
    throw failure;
  }
}

drive({
  name: "redlock",
  async start() {
    redlock = new Redlock([new (load("ioredis"))(url)], { retryCount: 0 });
    redlock.on("error", () => {});
    redlock.on("clientError", () => {});
  },
  async tryAcquire(request) {
    return isDone(redlock.acquire([request.lock], request.lease_ms));
  },
  async release() {
    return isDone(redlock.release(held));
  },
});
