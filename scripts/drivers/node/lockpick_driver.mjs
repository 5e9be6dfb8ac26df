// Speaks the line protocol of README.md, so that a driver in JavaScript is only its lock: an object
// with hello(hello), acquire(request), release(request), and renew(request) if it is asked to, each
// of which gives back (a promise of) the answer: {answer: "held"}, ... When the library was called, and
// when that call was settled, is added to the answer.
import { AsyncLocalStorage } from "node:async_hooks";
import { createInterface } from "node:readline";

const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");

// Nanoseconds of CLOCK_MONOTONIC.
export const now = () => Number(process.hrtime.bigint());

// Each call of the library with the time at which its last command was sent: {sent_ns}.
const calls = new AsyncLocalStorage();
export const sent = () => calls.getStore().sent_ns;

// To be called by a lock that learns that its hold is gone.
export const lost = (worker, lock, reason = "not-owner") =>
  say({ answer: "lost", worker, lock, reason });

async function answer(driver, request) {
  const from_ns = now();
  try {
    const said = await calls.run({}, () => driver[request.do](request));
    say({ id: request.id, from_ns, to_ns: now(), ...said });
  } catch (failure) { // a bug of the driver, or nothing to lock with
    console.error(failure);
    say({ id: request.id, answer: "error", why: String(failure) });
  }
}

export async function run(name, driver) {
  let greeted = false;
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    if (request.do === "quit") break;
    if (greeted) {
      answer(driver, request); // others may come before it is answered
      continue;
    }
    await driver.hello(request);
    say({ hello: 1, driver: name });
    greeted = true;
  }
  process.exit();
}

// The servers of LOCKPICK_REDIS, connected to.
export async function connect(Redis, hello) {
  const clients = process.env.LOCKPICK_REDIS.split(",").map((address) => {
    const at = address.lastIndexOf(":");
    const client = new Redis(Number(address.slice(at + 1)), address.slice(0, at), {
      commandTimeout: hello.request_ms, // a server that is cut off votes against, then
      retryStrategy: () => 20,
    });
    client.on("error", () => {}); // it connects again
    const send = client.sendCommand;
    client.sendCommand = function (...command) {
      const call = calls.getStore();
      if (call) call.sent_ns = now();
      return send.apply(this, command);
    };
    return client;
  });
  await Promise.all(clients.map((client) => client.ping().catch(() => {})));
  return clients;
}
