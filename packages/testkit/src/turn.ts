import { createServer, type Server } from 'node:net';
import { until } from './until.ts';

/**
 * Waits until nobody on this machine has the turn of this name, and has it until it is disposed of. It is a socket without a file,
 * which the kernel takes back with the process, however that ends.
 */
export async function takeTurn(name: string): Promise<AsyncDisposable> {
  // A new one for each try: one that could not listen would keep what it was told to do once it does.
  const take = () =>
    new Promise<Server>((done, fail) => {
      const holder = createServer().unref().once('error', fail);
      holder.listen(`\0hortus-${name}`, () => done(holder));
    });
  const holder = await until(take, { within: 10 * 60_000, describe: `the turn ${name}` });
  return { [Symbol.asyncDispose]: () => new Promise((done) => void holder.close(() => done())) };
}
