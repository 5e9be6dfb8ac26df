// BullMQ as a driver for Lockpick: a lock is a queue with one job, which is held while it is active, and whose lease is
// lockDuration. A release fails the job, and BullMQ puts it back; with the argument `completes` a job that is done is
// completed, and is `gone` then, as is one that was given out too often.
//
// Install: npm install --prefix scripts/drivers/node --no-save bullmq@6.7.0
const { randomUUID } = require("node:crypto");
const { Queue, UnrecoverableError, Worker } = require("bullmq");
const { now, run } = require("./lockpick_driver.js");

const completes = process.argv.includes("completes");
const held = new Map(); // worker: its job and token
const queues = new Map(); // lock: its queue, and BullMQ's worker of that
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
    const attempts = hello.attempts ?? 1000000;
    for (const lock of hello.locks) {
      const name = lock.replace(/[^\w{}-]/g, "_");
      const queue = new Queue(name, { connection });
      queue.on("error", (failure) => console.error(failure.message));
      await queue.add("job", {}, { jobId: "job", attempts }); // of one id, so that it is there once
      const worker = new Worker(name, null, {
        connection,
        autorun: false,
        lockDuration: hello.lease_ms,
        stalledInterval: Math.max(hello.lease_ms / 10, 100),
        maxStalledCount: attempts - 1,
      });
      worker.on("error", (failure) => console.error(failure.message));
      await worker.startStalledCheckTimer();
      queues.set(lock, { queue, worker });
    }
  },

  async acquire(request) {
    const give_up_ns = now() + request.wait_ms * 1e6;
    const token = randomUUID();
    const { queue, worker } = queues.get(request.lock);
    try {
      for (;;) {
        const request_ns = now();
        const job = await worker.getNextJob(token, { block: false });
        // Given out too often: BullMQ leaves it to who is given it next to fail it, as its own loop does.
        if (job?.deferredFailure) {
          await job.moveToFailed(new UnrecoverableError(job.deferredFailure), token);
          continue;
        }
        if (job) {
          held.set(request.worker, { job, token });
          return { answer: "held", request_ns };
        }
        if (completes && (await queue.getJobCountByTypes("completed", "failed")) > 0) return { answer: "gone" };
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
      if (request.done && completes) await job.moveToCompleted("done", token, false);
      else await job.moveToFailed(new Error("again"), token);
      return { answer: "released" };
    } catch (failure) {
      return refusal(failure);
    }
  },
});
