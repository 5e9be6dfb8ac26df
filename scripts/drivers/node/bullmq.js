// BullMQ as a driver for Lockpick: a lock is a queue with one job, which is held while it is active, and whose lease is
// lockDuration. A job that is completed cannot be asked for again: so a release fails it, and BullMQ puts it back.
//
// Install: npm install --prefix scripts/drivers/node --no-save bullmq@6.7.0
const { randomUUID } = require("node:crypto");
const { Queue, Worker } = require("bullmq");
const { now, run } = require("./lockpick_driver.js");

const held = new Map(); // worker: its job and token
const queues = new Map(); // lock: BullMQ's worker of that queue
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let settings;

// What a script refuses has a code: the lock is gone, the job is active no more, or another has the lock.
function refusal(failure) {
  const answer = { "-2": "gone", "-3": "gone", "-6": "not-owner" }[failure.code] ?? "unknown";
  return { answer, why: failure.message };
}

run("bullmq", {
  async hello(hello) {
    settings = hello;
    const address = hello.servers.addresses[0];
    const colon = address.lastIndexOf(":");
    const connection = {
      host: address.slice(0, colon).replace(/[[\]]/g, ""),
      port: Number(address.slice(colon + 1)),
      username: hello.servers.user,
      password: hello.servers.password,
      maxRetriesPerRequest: null,
      commandTimeout: hello.request_ms,
    };
    for (const lock of hello.locks) {
      const name = lock.replace(/[^\w{}-]/g, "_");
      const queue = new Queue(name, { connection });
      queue.on("error", (failure) => console.error(failure.message));
      await queue.add("job", {}, { jobId: "job", attempts: 1000000 }); // of one id, so that it is there once
      const worker = new Worker(name, null, {
        connection,
        autorun: false,
        lockDuration: hello.lease_ms,
        stalledInterval: Math.max(hello.lease_ms / 10, 100),
        maxStalledCount: 1000000,
      });
      worker.on("error", (failure) => console.error(failure.message));
      await worker.startStalledCheckTimer();
      queues.set(lock, worker);
    }
  },

  async acquire(request) {
    const give_up_ns = now() + request.wait_ms * 1e6;
    const token = randomUUID();
    try {
      for (;;) {
        const request_ns = now();
        const job = await queues.get(request.lock).getNextJob(token, { block: false });
        if (job) {
          held.set(request.worker, { job, token });
          return { answer: "held", request_ns };
        }
        if (now() >= give_up_ns) return { answer: "not-held" };
        await sleep(settings.retry_ms);
      }
    } catch (failure) {
      return { answer: "unknown", why: failure.message };
    }
  },

  async renew(request) {
    const { job, token } = held.get(request.worker);
    const request_ns = now();
    try {
      return (await job.extendLock(token, request.lease_ms)) === 1 ? { answer: "renewed", request_ns } : { answer: "not-owner" };
    } catch (failure) {
      return refusal(failure);
    }
  },

  async release(request) {
    const { job, token } = held.get(request.worker);
    try {
      await job.moveToFailed(new Error("again"), token);
      return { answer: "released" };
    } catch (failure) {
      return refusal(failure);
    }
  },
});
