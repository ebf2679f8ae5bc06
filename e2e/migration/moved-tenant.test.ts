import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasOwnEngine } from '../catalog/greenhouse.ts';
import { type Nursery, openNursery } from './nursery.ts';

if (hasOwnEngine) {
  let nursery: Nursery;
  beforeAll(async () => {
    nursery = await openNursery();
  }, 240_000);
  afterAll(async () => await nursery?.[Symbol.asyncDispose](), 60_000);

  test('a tenant moves with its databases: rows kept, downtime told, nothing left behind', {
    timeout: 240_000,
  }, async () => {
    const { grounds } = nursery.all;
    const [here, there] = grounds;
    await nursery.write('before the move');
    const plan = await nursery.migrate(there, { dry_run: true });
    expect(plan.migration).toBeNull();
    expect(plan.plan).toMatchObject({ blockers: [], from_server_id: here.serverId, to_server_id: there.serverId });
    expect(await nursery.sides()).toEqual(['here']);

    const { migration } = await nursery.migrate(there);
    await nursery.write('while it moves');
    const end = await nursery.settled(migration?.id ?? '');
    expect(end, JSON.stringify(end, null, 1)).toMatchObject({ status: 'completed', reason: null, error: null });
    expect(end.downtime_ms).toBeGreaterThan(0);
    expect(end.downtime_ms).toBeLessThan(60_000);
    expect(await nursery.sides()).toEqual(['there']);
    expect(await nursery.rows(there)).toEqual(await nursery.written());
    expect(await nursery.leftOn(here)).toEqual([]);
    const tenant = await nursery.tenant();
    expect(tenant).toMatchObject({ status: 'active', server_id: there.serverId });
    // What the first copy has brought did not travel again.
    const last = end.transfers.filter(({ mode }) => mode === 'import');
    expect(last.length).toBeGreaterThan(0);
    console.log(
      'downtime',
      end.downtime_ms,
      end.transfers.map(({ storage, mode, bytes, carried_bytes }) => [storage, mode, bytes, carried_bytes]),
    );
  });
}
