import { canonical, specHash } from '@hortus/template/canonical/canonical';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { INKWELL, SEED } from '@hortus/template/testing/inkwell';
import { validate } from '@hortus/template/validate';
import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { queriesOn, type Session } from '../../storage/session.ts';
import { onDifferingEngines } from '../../testing/engines.ts';
import { Catalog } from './catalog.ts';
import { shipCatalog, stampCatalog } from './ship.ts';

function specOf(text: string, changes: Partial<Canonical> = {}): Canonical {
  const { template } = validate(text);
  if (!template) throw new Error('The fixture is not a valid template.');
  return { ...canonical(template), ...changes };
}

onDifferingEngines('replicas that start together', (engine) => {
  it('a start publishes new versions of bundled templates and keeps existing ones', async () => {
    const storage = await engine.open();
    const specs = [specOf(INKWELL), specOf(SEED)];
    expect(await shipCatalog(storage, specs)).toEqual({ changed: [] });
    const catalog = new Catalog(storage.reader);
    await catalog.load();
    const shipped = catalog.newest();
    expect(shipped.map(({ species, status }) => [species, status])).toEqual([
      ['inkwell', 'published'],
      ['seed', 'published'],
    ]);
    expect(await shipCatalog(storage, specs)).toEqual({ changed: [] });
    await catalog.load();
    expect(catalog.everyVersion()).toEqual(shipped);
  });

  it('a start publishes a template for each required stop that declares one, as an earlier version', async () => {
    const storage = await engine.open();
    const stops = [{ version: '3' }, { version: '4.1', app_version: '4.1.7', patch: { image: { tag: '4.1.7' } } }];
    const spec = specOf(INKWELL, { upgrade: { via: stops } });
    expect(await shipCatalog(storage, [spec])).toEqual({ changed: [] });
    expect(await shipCatalog(storage, [spec])).toEqual({ changed: [] });
    const catalog = new Catalog(storage.reader);
    await catalog.load();
    expect(catalog.everyVersion().map(({ version, app_version }) => [version, app_version])).toEqual([
      ['1.2.0', '4.2.1'],
      ['1.2.0-via.4.1', '4.1.7'],
    ]);
    expect(catalog.newest().map(({ version }) => version)).toEqual(['1.2.0']);
  });

  it('a changed template under a published version is skipped and named', async () => {
    const storage = await engine.open();
    await shipCatalog(storage, [specOf(INKWELL), specOf(SEED)]);
    const catalog = new Catalog(storage.reader);
    await catalog.load();
    const before = catalog.newestOf('inkwell');
    const changed = specOf(INKWELL, { notes: 'Something else' });
    expect(await shipCatalog(storage, [changed, specOf(SEED)])).toEqual({ changed: ['inkwell 1.2.0'] });
    await catalog.load();
    expect(catalog.newestOf('inkwell')).toEqual(before);
    expect(await shipCatalog(storage, [{ ...changed, version: '1.2.1' }])).toEqual({ changed: [] });
    await catalog.load();
    expect(catalog.newestOf('inkwell')?.item.version).toBe('1.2.1');
    expect(catalog.byId(before?.item.id ?? '')).toEqual(before);
  });

  it('a stamp of a whole run is recorded once, for its spec only', async () => {
    const storage = await engine.open();
    const specs = [specOf(INKWELL), specOf(SEED)];
    await shipCatalog(storage, specs);
    const digest = `sha256:${'1'.repeat(64)}`;
    const stamp = {
      at: '2030-01-31T12:00:00.000Z',
      digest,
      spec_hash: specHash(specOf(SEED)),
      arch: 'arm64',
      steps: [],
    };
    const catalog = new Catalog(storage.reader);
    const stamped = async () => {
      await stampCatalog(storage, [stamp]);
      await catalog.load();
      return await storage.reader.db.selectFrom('templates').select(['species', 'updated_at']).execute();
    };
    const once = await stamped();
    expect(catalog.newestOf('seed')?.item.verified).toEqual({ at: stamp.at, digest });
    expect(catalog.newestOf('inkwell')?.item.verified).toBeNull();
    expect(await stamped()).toEqual(once);
  });

  it('replicas that start together publish bundled templates once', async () => {
    const testDatabase = await engine.testDatabase();
    const first = await testDatabase.open();
    const replicas =
      engine.name === 'postgres' ? [first, await testDatabase.open(), await testDatabase.open()] : [first, first];
    const specs = Array.from({ length: 10 }, (_, i) => specOf(SEED, { version: `1.${i}.0` }));
    const shipped = await Promise.all(replicas.map((replica) => shipCatalog(replica, specs)));
    expect(shipped).toEqual(replicas.map(() => ({ changed: [] })));
    const catalog = new Catalog(first.reader);
    await catalog.load();
    expect(catalog.everyVersion()).toHaveLength(10);
  });

  it('a publication is not lost when an earlier load takes longer than a later one', async () => {
    const storage = await engine.open();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let reads = 0;
    const run: Session['run'] = async (...query) => {
      const first = reads++ === 0;
      const rows = await storage.reader.run(...query);
      if (first) await released;
      return rows;
    };
    const catalog = new Catalog({ engine: engine.name, run, db: queriesOn(engine.name, { run }) });
    const early = catalog.load();
    await until(() => reads === 1, { describe: 'the first load to read' });
    // The rows are already read; only the response is delayed.
    await storage.ping();
    await shipCatalog(storage, [specOf(SEED)]);
    const late = catalog.load();
    await storage.ping();
    await storage.ping();
    release();
    await Promise.all([early, late]);
    expect(catalog.newestOf('seed')).toBeDefined();
  });

  it('a publication notifies the other replicas', async () => {
    const storage = await engine.open();
    const topics: string[] = [];
    storage.onCommit((notices) => topics.push(...notices.map(({ topic }) => topic)));
    await shipCatalog(storage, [specOf(SEED)]);
    await shipCatalog(storage, [specOf(SEED)]);
    expect(topics).toEqual(['catalog']);
  });
});
