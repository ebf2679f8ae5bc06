import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { Problem } from '../problem.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import { StreamUpgrades, type StreamUpgradesDeps } from './stream-upgrades.ts';

type Listener = Parameters<StreamUpgradesDeps['upgrades']['at']>[1];

it('connections for streams are limited per address until they are authenticated', async () => {
  const waiting: ((error: Error) => void)[] = [];
  const refused: Problem[] = [];
  let knock: Listener | undefined;
  new StreamUpgrades({
    upgrades: {
      at: (_: string, listener: Listener) => {
        knock = listener;
      },
    },
    refuse: (_: unknown, problem: Problem) => refused.push(problem),
    addressOf: () => '192.0.2.1',
    authenticate: () => new Promise((_, reject) => waiting.push(reject)),
    log: new QuietLog(),
  } as unknown as StreamUpgradesDeps);
  const connect = () => knock?.({ headers: {} } as never, new PassThrough(), Buffer.alloc(0), {} as never);
  for (let i = 0; i < 40; i++) connect();
  expect(waiting).toHaveLength(32);
  expect(refused.map(({ code }) => code)).toEqual(Array(8).fill('RATE_LIMITED'));
  // A place is free again when its key is refused.
  waiting[0]?.(new Error('no'));
  await new Promise((done) => setImmediate(done));
  connect();
  expect(waiting).toHaveLength(33);
});
