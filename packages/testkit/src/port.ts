import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range the kernel takes ports for outgoing connections from: a server that is stopped and started again on its
// port must not find it lent to some client meanwhile.
const lowest = 15_000;
const highest = 32_000;

const given = new Set<number>();

/** A TCP port on 127.0.0.1 that nobody listens on, never the same twice in a process and random between processes. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(lowest, highest);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`No free port found between ${lowest} and ${highest}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', () => done(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)));
  });
}
