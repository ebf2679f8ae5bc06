import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the kernel's range for outgoing connections: a server that is restarted on its port must not find it used by a
// client.
const lowest = 15_000;
const blockSize = 50;
const blocks = 340;

let mine: Promise<number[]> | undefined;

/**
 * Returns a free TCP port on 127.0.0.1, never the same twice in a process or in two processes at once: it may be used
 * much later, or released and used again, and must stay free meanwhile.
 */
export async function freePort(): Promise<number> {
  mine ??= claimBlock();
  for (;;) {
    const port = (await mine).pop();
    if (port === undefined) {
      mine = claimBlock();
      continue;
    }
    if (await isFree(port)) return port;
  }
}

/** Claims a block of ports by listening on its first one; the kernel releases it with the process. */
async function claimBlock(): Promise<number[]> {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const first = lowest + randomInt(blocks) * blockSize;
    if (await isFree(first, 'keep')) return Array.from({ length: blockSize - 1 }, (_, index) => first + index + 1);
  }
  throw new Error(`Every port from ${lowest} to ${lowest + blocks * blockSize} is taken`);
}

function isFree(port: number, after?: 'keep'): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', () => done(false));
    probe.listen(port, '127.0.0.1', () => {
      if (after === undefined) return probe.close(() => done(true));
      probe.unref();
      done(true);
    });
  });
}
