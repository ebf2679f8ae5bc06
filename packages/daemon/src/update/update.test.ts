import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@hortus/testkit/until';
import { afterEach, describe, expect, it } from 'vitest';
import { UpdatedServer } from './testing/updated-server.ts';

let server: UpdatedServer;
const start = async () => {
  server = await UpdatedServer.start();
};
afterEach(() => server.close());

it('a healthy version replaces the daemon, keeps its process and survives a restart', {
  timeout: 120_000,
}, async () => {
  await start();
  const [before] = server.alive;
  const order = await server.order('1.1.0');
  expect(await server.outcome(order)).toMatchObject({ state: 'done', running: '1.1.0' });
  const states = [...new Set(server.reports(order.update_id).map(({ state }) => state))];
  expect(states).toEqual(['downloading', 'verified', 'trying', 'done']);
  expect(server.alive).toEqual([before]);
  expect(server.record.probation).toBeUndefined();

  await server.end('SIGKILL');
  await until(() => server.alive.length === 1 && !server.alive.includes(before ?? 0), { describe: 'a new process' });
  await server.connected('1.1.0');

  // The next update replaces the release, and removes the files of the one before at the next order.
  expect(await server.outcome(await server.order('1.2.0'))).toMatchObject({ state: 'done', running: '1.2.0' });
  expect(await server.outcome(await server.order('1.3.0'))).toMatchObject({ state: 'done', running: '1.3.0' });
  expect(readdirSync(join(server.state, 'update')).filter((name) => name.startsWith('hortusd-'))).toHaveLength(2);
});

describe('the former version goes on', () => {
  for (const [behaviour, message] of [
    ['unhealthy', /Version 1\.1\.0 failed: the engine does not answer\./],
    ['crashes', /it ended with 3 at the step "behave"/],
    ['hangs', /did not prove itself healthy within 5 s; it waits at the step "behave"/],
  ] as const)
    it(`if the new one ${behaviour === 'unhealthy' ? 'is unhealthy' : behaviour}`, { timeout: 60_000 }, async () => {
      await start();
      const [before] = server.alive;
      const order = await server.order('1.1.0', behaviour, { trial_seconds: 5 });
      expect(await server.outcome(order)).toMatchObject({
        state: 'returned',
        reason: 'unhealthy',
        running: '1.0.0',
        message: expect.stringMatching(message),
      });
      // The failed version never acted as the daemon.
      expect(server.acted).toEqual(['1.0.0', '1.0.0']);
      expect(server.alive).toEqual([before]);
    });

  it('if the new one crashes after its proof', { timeout: 60_000 }, async () => {
    await start();
    const order = await server.order('1.1.0', 'crashes later');
    expect(await server.outcome(order)).toMatchObject({ state: 'returned', reason: 'unhealthy', running: '1.0.0' });
    await server.connected('1.0.0');
  });

  it('if its file was damaged after the update', { timeout: 60_000 }, async () => {
    await start();
    const order = await server.order('1.1.0');
    await server.outcome(order);
    writeFileSync(server.record.current?.file ?? '', '#!/bin/false\n');
    await server.end('SIGKILL');
    await server.connected('1.0.0');
    expect(server.record.last).toMatchObject({ state: 'returned', reason: 'not_executable' });
  });
});

it('a reinstalled binary takes precedence over updates', { timeout: 60_000 }, async () => {
  await start();
  await server.outcome(await server.order('1.1.0'));
  server.write('hortusd', '1.0.1');
  await server.end('SIGTERM');
  await server.connected('1.0.1');
  expect(server.record.current).toBeUndefined();
});

it('a repeated order is answered with its state and carried out once', { timeout: 60_000 }, async () => {
  await start();
  const order = await server.order('1.1.0');
  server.send(order);
  await server.outcome(order);
  const before = server.reports(order.update_id).length;
  server.send(order);
  await until(() => server.reports(order.update_id).length > before, { describe: 'an answer' });
  expect(server.reports(order.update_id).at(-1)).toMatchObject({ state: 'done', running: '1.1.0' });
  expect(server.acted).toEqual(['1.0.0', '1.1.0']);
});

it('an older version needs an order that allows it', { timeout: 60_000 }, async () => {
  await start();
  expect(await server.outcome(await server.order('0.9.0'))).toMatchObject({
    reason: 'older_version',
    message: expect.stringContaining('0.9.0 is older than the running version 1.0.0'),
  });
  const allowed = await server.order('0.9.1', 'healthy', { allow_downgrade: true });
  expect(await server.outcome(allowed)).toMatchObject({ state: 'done', running: '0.9.1' });
});
