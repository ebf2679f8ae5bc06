import { expect, it } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';

onBothEngines((engine) => {
  it('finds its schema up to date when it is opened again', async () => {
    const testDatabase = await engine.testDatabase({ bare: true });
    const first = await testDatabase.open();
    await first.write((tx) => tx.db.insertInto('settings').values({ name: 'kept', value: 'yes' }).execute());
    await first.close();
    const second = await testDatabase.open();
    expect(await second.reader.db.selectFrom('settings').select('value').execute()).toEqual([{ value: 'yes' }]);
  });

  if (engine.name === 'postgres') {
    it('lets replicas that start together take turns', async () => {
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
