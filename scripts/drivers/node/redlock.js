// Redlock of npm as a driver for Lockpick: `node redlock.js redlock-4`, `redlock-5` (the beta) or
// `@sesamecare-oss/redlock`. With a second argument, `retry-for-ever`, it is used with
// `retryCount: -1`, and its release as it is; else a release is tried once.
//
// Install: npm install --prefix scripts/drivers/node
const Redis = require("ioredis");
const { connect, now, run } = require("./lockpick_driver.js");

const library = process.argv[2];
const forEver = process.argv[3] === "retry-for-ever";
let exported;
try {
  exported = require(library);
} catch (failure) {
  if (failure.code !== "ERR_INVALID_MODULE_SPECIFIER") throw failure;
  console.error(`Node does not load ${library} from a folder with a \\ in its path: move the checkout`);
  process.exit(1);
}
const Redlock = exported.Redlock ?? exported.default ?? exported;
const held = new Map(); // worker: its lock
let redlock;
let failures = 0; // requests without an answer: then nothing is certain

function say(failure, answer) {
  if (!["LockError", "ExecutionError"].includes(failure.name)) throw failure;
  return { answer, why: failure.message };
}

run(library, {
  async hello(hello) {
    const failed = (error) => {
      if (error.name === "ResourceLockedError") return;
      failures++;
      console.error(error.message);
    };
    redlock = new Redlock(await connect(Redis, hello), {
      retryCount: forEver ? -1 : Math.ceil(hello.wait_ms / (hello.retry_ms + 5)),
      retryDelay: hello.retry_ms + 1,
      retryJitter: hello.retry_ms,
    });
    redlock.on("error", failed);
    redlock.on("clientError", failed);
    // Its scripts are loaded, as in an application that has run for a while.
    const first = redlock.acquire([`${hello.locks[0]}:${hello.client}`], 10000);
    const loaded = first.then((lock) => redlock.release(lock)).catch(() => {});
    await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, 3000))]);
  },

  async acquire(request) {
    const before = failures;
    try {
      const lock = await redlock.acquire([request.lock], request.lease_ms);
      held.set(request.worker, lock);
      // As long as the library says that it is valid; it may be over.
      const left_ns = Math.max(0, Math.floor((lock.expiration - Date.now()) * 1e6));
      return { answer: "held", valid_until_ns: now() + left_ns };
    } catch (failure) {
      return say(failure, failures > before ? "unknown" : "not-held");
    }
  },

  async release(request) {
    const before = failures;
    try {
      // Once: by itself it tries to release what is gone as often as it would try to acquire.
      const settings = library === "redlock-4" || forEver ? undefined : { retryCount: 0 };
      await redlock.release(held.get(request.worker), settings);
      return { answer: "released" };
    } catch (failure) {
      return say(failure, failures > before ? "unknown" : "not-owner");
    }
  },
});
