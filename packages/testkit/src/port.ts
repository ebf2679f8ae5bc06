import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range the kernel takes ports for outgoing connections from: a server that is stopped and started again on its
// port must not find it lent to some client meanwhile.
const lowest = 15_000;
const blockSize = 50;
const blocks = 340;

let mine: Promise<number[]> | undefined;

/**
 * A TCP port on 127.0.0.1 that nobody listens on, never the same twice in a process, nor in two processes at once: what is given
 * here may be listened on much later, or left and taken up again, and must be free all the while.
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

/** A process has the ports of a block for as long as it listens on the first of them; the kernel ends that with the process. */
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
