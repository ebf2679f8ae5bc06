import { expect, it } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';

onBothEngines((engine) => {
  it('opening a migrated database again keeps its data', async () => {
    const testDatabase = await engine.testDatabase({ bare: true });
    const first = await testDatabase.open();
    await first.write((tx) => tx.db.insertInto('settings').values({ name: 'kept', value: 'yes' }).execute());
    await first.close();
    const second = await testDatabase.open();
    expect(await second.reader.db.selectFrom('settings').select('value').execute()).toEqual([{ value: 'yes' }]);
  });

  if (engine.name === 'postgres') {
    it('replicas that start together migrate one after another', async () => {
      const testDatabase = await engine.testDatabase({ bare: true });
      const replicas = await Promise.all(Array.from({ length: 4 }, () => testDatabase.open()));
      for (const replica of replicas) await replica.ping();
      const applied = await replicas[0]?.reader.run('select name from kysely_migration', []);
      const names = applied?.rows.map((row) => (row as { name: string }).name) ?? [];
      expect(new Set(names).size).toBe(names.length);
      expect(names).toContain('0001-foundation');
    });
  }
});
