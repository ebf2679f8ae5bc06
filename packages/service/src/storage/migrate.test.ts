import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
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

  describe('a database that a newer version has migrated', () => {
    const migratedTo = async (later: string, needs: string | undefined) => {
      const testDatabase = await engine.testDatabase({ bare: true });
      const first = await testDatabase.open();
      await first.write(async (tx) => {
        await sql`insert into kysely_migration (name, timestamp) values (${later}, '2030-01-01')`.execute(tx.db);
        if (needs === undefined) return;
        await tx.db.updateTable('schema_needs').set({ migration: needs }).execute();
      });
      await first.close();
      return testDatabase;
    };

    it('still works with this version, which leaves the newer migrations alone', async () => {
      const testDatabase = await migratedTo('9998-later', undefined);
      const second = await testDatabase.open();
      const named = (name: string) =>
        sql`select 1 from kysely_migration where name = ${name}`.execute(second.reader.db);
      expect((await named('9998-later')).rows).toHaveLength(1);
      await second.write((tx) => tx.db.insertInto('settings').values({ name: 'a', value: 'b' }).execute());
    });

    it('is refused once the newer version has removed what this one uses', async () => {
      const testDatabase = await migratedTo('9999-removal', '9998-later');
      await expect(testDatabase.open()).rejects.toThrow(/belongs to a newer version of Hortus.*needs 9998-later/);
    });
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
