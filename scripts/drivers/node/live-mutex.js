// live-mutex as a driver for Lockpick; with the arguments `broker HOST PORT`, its broker.
//
// Install: npm install --prefix scripts/drivers/node --no-save --ignore-scripts live-mutex@0.2.25
console.log = console.info = console.error; // the library tells on standard output what it does
const { Broker, Client } = require("live-mutex");
const { run } = require("./lockpick_driver.js");

const held = new Map(); // worker: its lock
let client;

if (process.argv[2] === "broker") {
  const [host, port] = process.argv.slice(3);
  new Broker({ host, port: Number(port) }).ensure().then(() => console.error("listens"));
} else {
  run("live-mutex", {
    async hello(hello) {
      const [host, port] = process.env.LOCKPICK_CUSTOM.split(",")[0].split(":");
      client = new Client({
        host,
        port: Number(port),
        lockRequestTimeout: hello.wait_ms,
        unlockRequestTimeout: hello.request_ms,
      });
      client.emitter.on("warning", () => {}); // that it is not answered in time comes as an error, too
      await client.ensure();
    },

    async acquire(request) {
      try {
        held.set(request.worker, await client.acquire(request.lock, { ttl: request.lease_ms, maxRetries: 1 }));
        return { answer: "held" };
      } catch (failure) {
        return { answer: "unknown", why: String(failure.message) };
      }
    },

    async release(request) {
      try {
        await client.release(request.lock, held.get(request.worker).id);
        return { answer: "released" };
      } catch (failure) {
        return { answer: "unknown", why: String(failure.message) };
      }
    },
  });
}
