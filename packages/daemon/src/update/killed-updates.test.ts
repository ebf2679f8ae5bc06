import { until } from '@hortus/testkit/until';
import { afterEach, describe, expect, it } from 'vitest';
import { type ServerOptions, UpdatedServer } from './testing/updated-server.ts';

let server: UpdatedServer;
afterEach(() => server.close());
const start = async (options: ServerOptions = {}) => {
  server = await UpdatedServer.start(options);
};
const oneDaemon = () =>
  until(() => server.alive.length === 1, { describe: () => `one process: ${server.alive}\n${server.output}` });

/** Moments of the daemon and of its candidate, with the versions that may run afterwards. */
const moments = {
  downloading: ['1.1.0'],
  verified: ['1.1.0'],
  trying: ['1.0.0'],
  spawned: ['1.0.0'],
  begun: ['1.0.0'],
  'candidate opened': ['1.0.0'],
  'candidate proved': ['1.0.0'],
  proved: ['1.0.0'],
  committed: ['1.1.0'],
  ended: ['1.1.0'],
} as const;

describe('a kill during an update leaves one working daemon, and the service learns the outcome', () => {
  for (const [moment, [version]] of Object.entries(moments))
    it(`at the moment "${moment}"`, { timeout: 120_000 }, async () => {
      await start({ killAt: moment });
      const order = await server.order('1.1.0');
      expect(await server.outcome(order)).toMatchObject({
        state: version === '1.1.0' ? 'done' : 'returned',
        running: version,
        version: '1.1.0',
      });
      await server.connected(version);
      await oneDaemon();
      expect(server.record.trial).toBeUndefined();
    });
});

describe('without a service manager', () => {
  for (const [moment, version] of [
    ['spawned', '1.0.0'],
    ['begun', '1.0.0'],
    ['proved', '1.0.0'],
    ['committed', '1.1.0'],
  ] as const)
    it(`a candidate takes over from a daemon that was killed at the moment "${moment}"`, {
      timeout: 120_000,
    }, async () => {
      await start({ killAt: moment, managed: false });
      const order = await server.order('1.1.0');
      expect(await server.outcome(order)).toMatchObject({ running: version });
      await server.connected(version);
      await oneDaemon();
    });
});

it('a reboot during a trial means the former version', { timeout: 120_000 }, async () => {
  await start();
  const order = await server.order('1.1.0', 'hangs');
  await until(() => server.record.trial?.candidate, { describe: 'a candidate' });
  await server.end('SIGKILL');
  expect(await server.outcome(order)).toMatchObject({ state: 'returned', reason: 'interrupted', running: '1.0.0' });
  await oneDaemon();
});

it('a stop during a trial gives it up', { timeout: 120_000 }, async () => {
  await start();
  const order = await server.order('1.1.0', 'hangs');
  await until(() => server.record.trial?.candidate, { describe: 'a candidate' });
  await server.end('SIGTERM');
  expect(await server.outcome(order)).toMatchObject({ state: 'returned', reason: 'interrupted', running: '1.0.0' });
  await oneDaemon();
});
