import type { DaemonError } from '@hortus/contract/resources/diagnostics';
import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

const SECRET = 'hunter2hunter2';

const error = (over: Partial<DaemonError> = {}): DaemonError => ({
  level: 'error',
  message: 'a rollout failed unexpectedly',
  detail: 'Error: no\n    at main.ts:1',
  fields: { deployment: 'dep_1' },
  count: 1,
  first_at: '2026-11-18T12:00:00.000Z',
  last_at: '2026-11-18T12:00:00.000Z',
  ...over,
});
const report = (errors: readonly object[], more: object = {}) => ({
  version: '1.4.0',
  node: '26.1.0',
  os: 'Debian 12, Linux 6.1.0',
  policy: 'shell: true',
  errors,
  ...more,
});

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  async function register(kind: 'server' | 'cluster' = 'server') {
    const body = { name: 'web-1', environment: 'staging', kind };
    const { id, api_key: key, member_id } = (await service.request('POST', '/servers/register', { body })).json.data;
    const path = `/servers/${id}/diagnostics`;
    return {
      key: key as string,
      member_id: member_id as string,
      path,
      report: (body: object, as = key) => service.request('PUT', path, { body, key: as }),
      daemons: async () => (await service.request('GET', path)).json.data.daemons,
    };
  }

  it('the last report of a daemon replaces the one before, newest error first', async () => {
    const { report: send, daemons } = await register();
    expect(await daemons()).toEqual([]);
    await send(report([error({ message: 'older' })]));
    const newer = error({ message: 'newer', level: 'fatal', last_at: '2026-11-18T13:00:00.000Z', count: 3 });
    expect((await send(report([error(), newer]))).json.data).toEqual({ errors: 2 });
    expect(await daemons()).toEqual([
      { ...report([newer, error()]), member_id: null, reported_at: expect.any(String) },
    ]);
  });

  it('secrets that a daemon did not remove are removed, and unknown fields are not stored', async () => {
    const { report: send, daemons } = await register();
    const leaking = error({
      message: `Bearer ${SECRET}`,
      detail: `redis://me:${SECRET}@host and hk_live_${SECRET}`,
      fields: { api_key: SECRET },
    });
    await send(report([{ ...leaking, more: 'x' }], { more: 'x' }));
    const [daemon] = await daemons();
    expect(JSON.stringify(daemon)).not.toContain(SECRET);
    expect(daemon.errors[0].fields).toEqual({ api_key: '[removed]' });
    expect(daemon).not.toHaveProperty('more');
    expect(daemon.errors[0]).not.toHaveProperty('more');
  });

  it('a long field name is cut, and loses its secret', async () => {
    const { report: send, daemons } = await register();
    await send(report([error({ fields: { [`hk_live_${SECRET}${'x'.repeat(5_000)}`]: 'x' } })]));
    const [daemon] = await daemons();
    expect(daemon.errors[0].fields).toEqual({ 'hk_live_[removed]': 'x' });
    await send(report([error({ fields: { ['n'.repeat(5_000)]: 'x' } })]));
    expect((await daemons())[0].errors[0].fields).toEqual({ ['n'.repeat(64)]: 'x' });
  });

  it('a report beyond the bounds is refused and names the field', async () => {
    const { report: send } = await register();
    expectRefusal(await send(report(Array.from({ length: 51 }, () => error()))), 'VALIDATION_ERROR', 'errors');
    expectRefusal(await send(report([error({ detail: 'x'.repeat(8_193) })])), 'VALIDATION_ERROR', 'errors');
  });

  it('a daemon reports only on its own server and does not read reports', async () => {
    const own = await register();
    const other = await register();
    expect((await other.report(report([]), own.key)).status).toBe(404);
    expect((await service.request('GET', own.path, { key: own.key })).status).toBe(403);
  });

  it('a member of a cluster reports without leading it', async () => {
    const { report: send, daemons, member_id } = await register('cluster');
    expect((await send(report([error()]))).status).toBe(200);
    expect(await daemons()).toMatchObject([{ member_id, errors: [error()] }]);
  });
});
