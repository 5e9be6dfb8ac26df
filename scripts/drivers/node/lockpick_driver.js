// Speaks the line protocol of README.md, so that a driver in JavaScript is only its lock: an object
// with hello(hello), acquire(request), release(request), and renew(request) if it is asked to, each
// of which gives back (a promise of) the answer: {answer: "held"}, ... When the library was called, and
// when that call was settled, is added to the answer.
const { AsyncLocalStorage } = require("node:async_hooks");
const { createInterface } = require("node:readline");

const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");

// Nanoseconds of CLOCK_MONOTONIC.
const now = () => Number(process.hrtime.bigint());

// Each call of the library with the time at which its last command was sent: {sent_ns}; null until
// somebody wants that, for it makes every promise slower.
let calls = null;
const sent = () => calls.getStore().sent_ns;
const call = (ask) => (calls === null ? ask() : calls.run({}, ask));

// To be called by a lock that learns that its hold is gone.
const lost = (worker, lock, reason = "not-owner") =>
  say({ answer: "lost", worker, lock, reason });

const sleep = (us) => new Promise((resolve) => setTimeout(resolve, us / 1000));

// The loop of a measurement, with nothing in it but the lock and the clock.
async function measure(driver, request) {
  const cycles = [];
  const begun = now();
  let ended = begun;
  while (cycles.length < request.operations && ended < request.until_ns) {
    const asked = now();
    const acquired = await call(() => driver.acquire(request));
    const granted = now();
    const cycle = [asked - ended, granted - asked];
    ended = granted;
    if (acquired.answer === "error") return acquired;
    if (acquired.answer !== "held") {
      cycle.push(acquired.answer);
    } else {
      const leased = acquired.request_ns ?? (acquired.valid_until_ns ?? 0) - request.lease_ms * 1e6;
      if (request.hold_us > 0) await sleep(request.hold_us);
      const left = now();
      const released = await call(() => driver.release(request));
      ended = now();
      if (released.answer === "error") return released;
      cycle.push(left - granted, ended - left, Math.min(Math.max(0, leased - asked), granted - asked));
      if (released.answer !== "released") cycle.push(released.answer);
    }
    cycles.push(cycle);
    if (request.think_us > 0) await sleep(request.think_us);
  }
  return { answer: "measured", from_ns: begun, cycles };
}

async function answer(driver, request) {
  const from_ns = now();
  try {
    if (request.do === "measure") return say({ id: request.id, ...(await measure(driver, request)) });
    const said = await call(() => driver[request.do](request));
    say({ id: request.id, from_ns, to_ns: now(), ...said });
  } catch (failure) { // a bug of the driver, or nothing to lock with
    console.error(failure);
    say({ id: request.id, answer: "error", why: String(failure) });
  }
}

async function run(name, driver) {
  let greeted = false;
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    if (request.do === "quit") break;
    if (greeted) {
      answer(driver, request); // others may come before it is answered
      continue;
    }
    await driver.hello(request);
    say({ hello: 1, driver: name, measure: true });
    greeted = true;
  }
  process.exit();
}

// Notes when commands are sent, for sent().
function noteSent(clients) {
  calls = new AsyncLocalStorage();
  for (const client of clients) {
    const send = client.sendCommand;
    client.sendCommand = function (...command) {
      const one = calls.getStore();
      if (one) one.sent_ns = now();
      return send.apply(this, command);
    };
  }
}

// The servers of LOCKPICK_REDIS, connected to.
async function connect(Redis, hello) {
  const clients = process.env.LOCKPICK_REDIS.split(",").map((address) => {
    const at = address.lastIndexOf(":");
    const client = new Redis(Number(address.slice(at + 1)), address.slice(0, at).replace(/[[\]]/g, ""), {
      commandTimeout: hello.request_ms, // a server that is cut off votes against, then
      retryStrategy: () => 20,
    });
    client.on("error", () => {}); // it connects again
    return client;
  });
  await Promise.all(clients.map((client) => client.ping().catch(() => {})));
  return clients;
}

module.exports = { connect, lost, noteSent, now, run, sent };
