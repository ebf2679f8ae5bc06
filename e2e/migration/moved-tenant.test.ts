import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasOwnEngine } from '../catalog/catalog-installation.ts';
import { type MigratedTenant, openMigratedTenant } from './migrated-tenant.ts';

if (hasOwnEngine) {
  let migrated: MigratedTenant;
  beforeAll(async () => {
    migrated = await openMigratedTenant();
  }, 300_000);
  afterAll(() => migrated?.[Symbol.asyncDispose]());

  test('a migrated tenant keeps its rows, reports its downtime and leaves nothing behind', {
    timeout: 240_000,
  }, async () => {
    const [here, there] = migrated.all.servers;
    await migrated.write('before the move');
    const dry = await migrated.migrate(there, { dry_run: true });
    expect(dry.migration).toBeNull();
    expect(dry.plan).toMatchObject({ blockers: [], from_server_id: here.serverId, to_server_id: there.serverId });
    expect(dry.plan.definitions.map(({ volumes }) => volumes)).toEqual([['data'], ['data']]);
    expect(await migrated.sides()).toEqual(['here']);

    const { migration } = await migrated.migrate(there);
    await migrated.write('while it moves');
    const end = await migrated.settled(migration?.id ?? '');
    expect(end, JSON.stringify(end, null, 1)).toMatchObject({ status: 'completed', reason: null, error: null });
    expect(end.downtime_ms).toBeGreaterThan(0);
    expect(await migrated.sides()).toEqual(['there']);
    expect(await migrated.rows(there)).toEqual(migrated.written);
    expect(await migrated.leftOn(here)).toEqual([]);
    expect(await migrated.tenant()).toMatchObject({ status: 'active', server_id: there.serverId });

    // The final copy sends only changes: for PostgreSQL little more than its WAL.
    const last = end.transfers.filter(({ mode }) => mode === 'import');
    const total = (of: 'bytes' | 'carried_bytes') => last.reduce((sum, item) => sum + item[of], 0);
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
