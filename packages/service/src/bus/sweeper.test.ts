import { until } from '@hortus/testkit/until';
import { expect, it, vi } from 'vitest';
import { QuietLog } from '../testing/quiet-log.ts';
import { Sweeper } from './sweeper.ts';

const never = 1_000_000;

it('a sweep runs at the start, when woken, and at the time the last sweep asked for', async () => {
  const delays = [1, never, 1, never];
  let sweeps = 0;
  const sweeper = new Sweeper({
    name: 'sweeping',
    log: new QuietLog(),
    sweep: async () => delays[sweeps++] ?? never,
  });
  sweeper.start();
  await until(() => sweeps === 2, { describe: 'the second sweep, by the clock' });
  sweeper.wake();
  await until(() => sweeps === 4, { describe: 'two more, by the call and by the clock' });
  await sweeper.stop();
});

it('wake-ups during a sweep cause one more, and two never run at once', async () => {
  const finish: (() => void)[] = [];
  const sweep = vi.fn(() => new Promise<number>((done) => finish.push(() => done(never))));
  const sweeper = new Sweeper({ name: 'sweeping', log: new QuietLog(), sweep });
  sweeper.start();
  await until(() => finish.length === 1, { describe: 'the first sweep' });
  for (let i = 0; i < 5; i++) sweeper.wake();
  expect(sweep).toHaveBeenCalledTimes(1);
  finish[0]?.();
  await until(() => finish.length === 2, { describe: 'the second sweep' });
  finish[1]?.();
  await sweeper.stop();
  expect(sweep).toHaveBeenCalledTimes(2);
});

it('stop waits for the running sweep and starts no other', async () => {
  let finish: (() => void) | undefined;
  const sweep = vi.fn(
    () =>
      new Promise<number>((done) => {
        finish = () => done(0);
      }),
  );
  const sweeper = new Sweeper({ name: 'sweeping', log: new QuietLog(), sweep });
  sweeper.start();
  await until(() => finish, { describe: 'the sweep' });
  let stopped = false;
  const stopping = sweeper.stop().then(() => {
    stopped = true;
  });
  sweeper.wake();
  expect(stopped).toBe(false);
  finish?.();
  await stopping;
  expect(sweep).toHaveBeenCalledTimes(1);
});

it('a failed sweep is logged, and later ones run', async () => {
  const log = new QuietLog();
  let sweeps = 0;
  const sweeper = new Sweeper({
    name: 'sweeping',
    log,
    sweep: async () => {
      if (++sweeps === 1) throw new Error('no database');
      return never;
    },
  });
  sweeper.start();
  await until(() => log.lines.length === 1, { describe: 'the report' });
  sweeper.wake();
  await until(() => sweeps === 2, { describe: 'the second sweep' });
  await sweeper.stop();
});
