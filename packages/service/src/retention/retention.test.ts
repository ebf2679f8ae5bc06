import { expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { append } from '../outbox/append.ts';
import { lockLastSeq, saveLastSeq, takeUntold } from '../outbox/store.ts';
import { openLog } from '../process/log.ts';
import { newId } from '../records/ids.ts';
import { removeLogLines } from '../resources/deployments/retention.ts';
import { onDifferingEngines } from '../testing/engines.ts';
import { goodRequest } from '../testing/good-requests.ts';
import { startApp } from '../testing/running-service.ts';
import { retentionRules } from '../wiring/retention-rules.ts';
import { RETENTION, sweep } from './job.ts';
import { defaultRetention } from './periods.ts';

const DAY = 86_400_000;

onDifferingEngines('removal in batches', (engine) => {
  it('events are removed by age in batches, and undispatched ones are kept', async () => {
    const clock = { now: 1_800_000_000_000 };
    const storage = await engine.open({ clock: () => clock.now });
    const log = openLog({ level: 'silent' });
    const happen = (resourceId: string) =>
      storage.write((tx) =>
        append(tx, { type: 'audit.x', accountId: 'acc', resourceType: 'x', resourceId, actor: null, data: {} }),
      );
    const notify = () =>
      storage.write(async (tx) => {
        const newest = (await takeUntold(tx, await lockLastSeq(tx), 100)).at(-1);
        if (newest) await saveLastSeq(tx, newest.seq);
      });
    const left = async () =>
      (await storage.reader.db.selectFrom('events').select('resource_id').orderBy('position').execute()).map(
        ({ resource_id }) => resource_id,
      );
    for (let number = 1; number <= 7; number++) await happen('old');
    clock.now += 1;
    await happen('kept');
    await notify();
    await happen('untold');
    clock.now += 90 * DAY - 1;
    const deps = { storage, rules: retentionRules(defaultRetention), log, clock: () => clock.now, batch: 3 };
    expect(await sweep(deps)).toEqual({});
    clock.now += 1;
    expect(await sweep({ ...deps, rules: retentionRules({ ...defaultRetention, events: 0 }) })).toEqual({});
    expect(await sweep(deps)).toEqual({ events: 7 });
    expect(await left()).toEqual(['kept', 'untold']);
    clock.now += 1;
    expect(await sweep(deps)).toEqual({ events: 1 });
    expect(await left()).toEqual(['untold']);
  });

  it('deliveries, logs, outputs, idempotency keys and sessions are removed, and their records stay', async () => {
    const service = await startApp(engine);
    const { db } = service.database;
    const { params } = await goodRequest('webhooks.deliveries', service);
    const delivery = (status: 'delivered' | 'pending') => ({
      id: newId('delivery'),
      account_id: service.accountId,
      endpoint_id: String(params.id),
      event_id: newId('event'),
      event_type: 'action.failed',
      seq: 1,
      status,
      attempts: 1,
      response_code: 200,
      error: null,
      duration_ms: 5,
      next_attempt_at: status === 'pending' ? Date.now() + DAY : null,
      delivered_at: null,
      created_at: 1,
    });
    await db
      .insertInto('deliveries')
      .values([delivery('delivered'), delivery('pending')])
      .execute();
    for (const name of ['deployments.report', 'actions.report', 'account.login'] as const) {
      const { method, path, options } = await goodRequest(name, service);
      expect((await service.request(method, path, options)).status).toBe(200);
    }
    const { method, path, body } = await goodRequest('servers.register', service);
    await service.request(method, path, { body, headers: { 'idempotency-key': 'once' } });
    const counts = async () => ({
      deliveries: (await db.selectFrom('deliveries').select('id').execute()).length,
      lines: (await db.selectFrom('deployment_logs').select('number').execute()).length,
      outputs: (await db.selectFrom('executions').select('id').where('output', 'is not', null).execute()).length,
      keys: (await db.selectFrom('idempotency').select('key').execute()).length,
      sessions: (await db.selectFrom('sessions').select('id').execute()).length,
    });
    expect(await counts()).toMatchObject({ deliveries: 2, outputs: 1, keys: expect.any(Number), sessions: 1 });
    expect((await counts()).keys).toBeGreaterThan(0);
    const records = (await db.selectFrom('executions').select('id').execute()).length;
    const write = async <T>(work: (tx: typeof service.database) => Promise<T>) => work(service.database);
    const storage = { write } as unknown as Parameters<typeof sweep>[0]['storage'];
    const later = () => Date.now() + 40 * DAY;
    await sweep({
      storage,
      rules: retentionRules(defaultRetention),
      log: openLog({ level: 'silent' }),
      clock: later,
    });
    expect(await counts()).toEqual({ deliveries: 1, lines: 0, outputs: 0, keys: 0, sessions: 0 });
    expect((await db.selectFrom('executions').select('id').execute()).length).toBe(records);
  });

  it('log lines of one deployment are removed in batches', async () => {
    const service = await startApp(engine);
    const { db } = service.database;
    const { params } = await goodRequest('deployments.read', service);
    const line = (number: number) => ({
      deployment_id: String(params.id),
      number,
      at: 1,
      level: 'info' as const,
      message: 'x',
    });
    await db.deleteFrom('deployment_logs').execute();
    await db.insertInto('deployment_logs').values([1, 2, 3, 4, 5].map(line)).execute();
    const remove = () => removeLogLines(service.database, 2, 2);
    expect([await remove(), await remove(), await remove(), await remove()]).toEqual([2, 2, 1, 0]);
  });

  it('the retention job always exists', async () => {
    const { database } = await startApp(engine);
    await expect
      .poll(
        async () => (await database.db.selectFrom('jobs').select('key').where('kind', '=', RETENTION).execute()).length,
      )
      .toBe(1);
  });
});

it('each retention time is configured in days', () => {
  const read = (text: string) => readConfig({ HORTUS_RETENTION: text }, '/tmp').retention;
  expect(read('events=30,logs=0')).toEqual({ ...defaultRetention, events: 30, logs: 0 });
  for (const wrong of ['events', 'events=1', 'plants=3', 'logs=-1'])
    expect(() => read(wrong)).toThrow('HORTUS_RETENTION');
});
