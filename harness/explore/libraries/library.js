// What the programs of this folder in JavaScript share: the line protocol, as
// scripts/drivers/node/lockpick_driver.js speaks it, around the lock of a library, as library.py
// has it. Libraries are those of scripts/drivers/node.
const { createRequire } = require("node:module");
const path = require("node:path");

const load = createRequire(path.join(__dirname, "../../../scripts/drivers/node/"));
const { now, run } = load("./lockpick_driver.js");

const url = `redis://${process.env.LOCKPICK_REDIS.split(",")[0]}`;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// `start(hello)` connects. `tryAcquire(request)` and `release(request)` give back (a promise of)
// true if it has the lock, or its fencing token, and if the lock that was released was its own.
function drive({ name, start, tryAcquire, release }) {
  let retry;
  run(name, {
    async hello(hello) {
      retry = hello.retry_ms;
      await start(hello);
    },
    async acquire(request) {
      const giveUp = now() + request.wait_ms * 1e6;
      for (;;) {
        const request_ns = now(); // from when on the lease counts
        try {
          const held = await tryAcquire(request);
          if (held) return { answer: "held", request_ns, ...(held === true ? {} : { token: held }) };
        } catch (failure) {
          console.error(failure);
          return { answer: "unknown" };
        }
        if (now() > giveUp) return { answer: "not-held" };
        await sleep(retry);
      }
    },
    async release(request) {
      try {
        return { answer: (await release(request)) ? "released" : "gone" };
      } catch (failure) {
        console.error(failure);
        return { answer: "unknown" };
      }
    },
  });
}

module.exports = { load, drive, url };
