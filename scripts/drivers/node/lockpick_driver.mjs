// Speaks the line protocol of README.md, so that a driver in JavaScript is only its lock: an object
// with hello(hello), acquire(request), release(request), and renew(request) if it is asked to, each
// of which gives back (a promise of) the answer: {answer: "held"}, ...
import { createInterface } from "node:readline";

const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");

// To be called by a lock that learns that its hold is gone.
export const lost = (worker, lock, reason = "not-owner") =>
  say({ answer: "lost", worker, lock, reason });

async function answer(driver, request) {
  try {
    say({ id: request.id, ...(await driver[request.do](request)) });
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
    return client;
  });
  await Promise.all(clients.map((client) => client.ping().catch(() => {})));
  return clients;
}
