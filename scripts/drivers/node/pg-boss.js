// pg-boss as a driver for Lockpick: a lock is a queue with one job, which is held while it is active, for expireInSeconds at most. A
// release fails the job, and pg-boss puts it back; with the argument `completes` a job that is done is completed, and is `gone`
// then, as is one that was given out too often. The first argument says which version (`10`, `12`); of 12, `by-id` settles a job by its id alone, and not by the attempt.
//
// Install: npm install --prefix scripts/drivers/node --no-save pg-boss-10@npm:pg-boss@10.4.2 pg-boss-12@npm:pg-boss@12.38.0
const { Client } = require("pg");
const { now, run } = require("./lockpick_driver.js");

const [version, ...ways] = process.argv.slice(2);
const completes = ways.includes("completes");
const over = ["completed", "failed"];
const id = "00000000-0000-4000-8000-000000000000"; // of each queue's job, so that it is there once
const held = new Map(); // worker: its job
const queueOf = (lock) => lock.replace(/[^\w-]/g, "_");
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let boss, settings;

run(`pg-boss ${version}`, {
  async hello(hello) {
    settings = hello;
    const library = await import(`pg-boss-${version}`);
    const address = hello.servers.addresses[0];
    const colon = address.lastIndexOf(":");
    const server = {
      host: address.slice(0, colon).replace(/[[\]]/g, ""),
      port: Number(address.slice(colon + 1)),
      user: hello.servers.user ?? "postgres",
      password: hello.servers.password,
      database: hello.servers.database ?? "postgres",
    };
    // Queues that are made at the same time may deadlock: one client after the other makes them.
    const turn = new Client(server);
    await turn.connect();
    await turn.query("SELECT pg_advisory_lock(1)");
    boss = new (library.PgBoss ?? library.default)({
      ...server,
      schema: `pgboss_${version}`,
      max: hello.workers + 2,
      schedule: false,
      // How often it looks for jobs whose time is over.
      maintenanceIntervalSeconds: 1,
      ...(version === "12" && { superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 }),
    });
    boss.on("error", (failure) => console.error(failure));
    await boss.start();
    for (const lock of hello.locks) {
      const queue = queueOf(lock);
      await boss.createQueue(queue);
      await boss.send(queue, {}, {
        id,
        expireInSeconds: hello.lease_ms / 1000,
        retryLimit: (hello.attempts ?? 1000000) - 1,
        retryDelay: 0,
      });
    }
    await turn.end();
  },

  async acquire(request) {
    const give_up_ns = now() + request.wait_ms * 1e6;
    try {
      for (;;) {
        const request_ns = now();
        const [job] = await boss.fetch(queueOf(request.lock), { includeMetadata: true });
        if (job) {
          held.set(request.worker, job);
          return { answer: "held", request_ns };
        }
        if (completes && over.includes((await boss.getJobById(queueOf(request.lock), id)).state)) return { answer: "gone" };
        if (now() >= give_up_ns) return { answer: "not-held" };
        await sleep(settings.retry_ms);
      }
    } catch (failure) {
      return { answer: "unknown", why: String(failure.message) };
    }
  },

  async release(request) {
    const job = held.get(request.worker);
    try {
      const settle = request.done && completes ? "complete" : "fail";
      const { affected } = await boss[settle](queueOf(request.lock), version === "12" && !ways.includes("by-id") ? job : job.id);
      return { answer: affected === 1 ? "released" : "gone" };
    } catch (failure) {
      return { answer: "unknown", why: String(failure.message) };
    }
  },
});
