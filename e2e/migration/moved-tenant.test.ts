import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasOwnEngine } from '../catalog/greenhouse.ts';
import { type Nursery, openNursery } from './nursery.ts';

if (hasOwnEngine) {
  let nursery: Nursery;
  beforeAll(async () => {
    nursery = await openNursery();
  }, 300_000);
  afterAll(() => nursery?.[Symbol.asyncDispose]());

  test('a tenant moves with its databases: rows kept, downtime told, nothing left', { timeout: 240_000 }, async () => {
    const [here, there] = nursery.all.grounds;
    await nursery.write('before the move');
    const dry = await nursery.migrate(there, { dry_run: true });
    expect(dry.migration).toBeNull();
    expect(dry.plan).toMatchObject({ blockers: [], from_server_id: here.serverId, to_server_id: there.serverId });
    expect(dry.plan.definitions.map(({ volumes }) => volumes)).toEqual([['data'], ['data']]);
    expect(await nursery.sides()).toEqual(['here']);

    const { migration } = await nursery.migrate(there);
    await nursery.write('while it moves');
    const end = await nursery.settled(migration?.id ?? '');
    expect(end, JSON.stringify(end, null, 1)).toMatchObject({ status: 'completed', reason: null, error: null });
    expect(end.downtime_ms).toBeGreaterThan(0);
    expect(await nursery.sides()).toEqual(['there']);
    expect(await nursery.rows(there)).toEqual(nursery.written);
    expect(await nursery.leftOn(here)).toEqual([]);
    expect(await nursery.tenant()).toMatchObject({ status: 'active', server_id: there.serverId });

    // What the first copy has brought did not travel again: of PostgreSQL, little more than its log.
    const last = end.transfers.filter(({ mode }) => mode === 'import');
    const total = (of: 'bytes' | 'carried_bytes') => last.reduce((sum, one) => sum + one[of], 0);
    expect(total('carried_bytes')).toBeLessThan(total('bytes') / 2);
    const steps = [...new Set(end.log.map(({ step }) => step))];
    expect(steps).toEqual([
      'first_copy',
      'stop_source',
      'last_copy',
      'start_target',
      'switch_server',
      'release_source',
    ]);
  });
}
