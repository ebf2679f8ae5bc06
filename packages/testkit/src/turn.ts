import { createServer } from 'node:net';
import { until } from './until.ts';

/**
 * Waits until nobody on this machine has the turn of this name, and has it until it is disposed of. It is a socket without a file,
 * which the kernel takes back with the process, however that ends.
 */
export async function takeTurn(name: string): Promise<AsyncDisposable> {
  const holder = createServer().unref();
  const take = () =>
    new Promise<true>((done, fail) => {
      holder.once('error', fail);
      holder.listen(`\0hortus-${name}`, () => done(true));
    });
  await until(take, { within: 10 * 60_000, describe: `the turn ${name}` });
  return { [Symbol.asyncDispose]: () => new Promise((done) => void holder.close(() => done())) };
}
