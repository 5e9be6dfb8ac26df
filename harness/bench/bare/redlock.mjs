// Redlock of npm alone, in a loop: HOST:PORT LOCK SECONDS WARM_UP_SECONDS, run in the folder that
// has it in its node_modules.
import { createRequire } from "node:module";

const require = createRequire(process.cwd() + "/");
const Redis = require("ioredis");
const module = require("redlock-5");
const Redlock = module.Redlock ?? module.default ?? module;
const [address, name, seconds, warmUp] = process.argv.slice(2);
const at = address.lastIndexOf(":");
const client = new Redis(Number(address.slice(at + 1)), address.slice(0, at), { commandTimeout: 5000 });
const redlock = new Redlock([client], { retryCount: 3000, retryDelay: 6, retryJitter: 5 });
const clock = () => Number(process.hrtime.bigint());

async function loop(length) {
  const acquires = [];
  const begun = clock();
  while (clock() < begun + 1e9 * length) {
    const asked = clock();
    const lock = await redlock.acquire([name], 10000);
    acquires.push(clock() - asked);
    await redlock.release(lock, { retryCount: 0 });
  }
  return [acquires, clock() - begun];
}

await loop(Number(warmUp));
const [acquires, took] = await loop(Number(seconds));
acquires.sort((a, b) => a - b);
console.log(JSON.stringify({ locks: acquires.length, ns: took, p50_ns: acquires[acquires.length >> 1] }));
process.exit();
