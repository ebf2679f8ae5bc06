import { createServer, type Server } from 'node:net';
import { until } from './until.ts';

/**
 * Waits for the machine-wide lock of this name and holds it until disposal. It is an abstract socket, which the kernel
 * releases with the process, however that ends.
 */
export async function takeTurn(name: string, within = 10 * 60_000): Promise<AsyncDisposable> {
  // A new server for each try: one that failed to listen would keep its listeners.
  const take = () =>
    new Promise<Server>((done, fail) => {
      const holder = createServer().unref().once('error', fail);
      holder.listen(`\0hortus-${name}`, () => done(holder));
    });
  const holder = await until(take, { within, describe: `the turn ${name}` });
  return { [Symbol.asyncDispose]: () => new Promise((done) => void holder.close(() => done())) };
}
