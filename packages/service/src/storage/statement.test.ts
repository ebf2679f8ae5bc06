import { expect, it } from 'vitest';
import { onDifferingEngines } from '../testing/engines.ts';
import { statement } from './statement.ts';

onDifferingEngines('prepared statements', (engine) => {
  it('a statement uses the parameters of each call', async () => {
    const storage = await engine.open();
    const set = statement<{ name: string; value: string }>((db, p) =>
      db.insertInto('settings').values({ name: p.name, value: p.value }),
    );
    const valueNamed = statement<{ name: string }, { value: string }>((db, p) =>
      db.selectFrom('settings').select('value').where('name', '=', p.name),
    );
    await storage.write(async (tx) => {
      await set(tx, { name: 'a', value: '1' });
      await set(tx, { name: 'b', value: "it's 2" });
    });
    expect(await valueNamed(storage.reader, { name: 'b' })).toEqual([{ value: "it's 2" }]);
    expect(await valueNamed(storage.reader, { name: 'a' })).toEqual([{ value: '1' }]);
    expect(await valueNamed(storage.reader, { name: 'c' })).toEqual([]);
  });

  it('constants and parameters of a statement are not mixed up, whatever their order', async () => {
    const storage = await engine.open();
    await storage.write((tx) =>
      tx.db
        .insertInto('settings')
        .values([
          { name: 'a', value: 'x' },
          { name: 'b', value: 'x' },
          { name: 'c', value: 'y' },
        ])
        .execute(),
    );
    const after = statement<{ max: number; name: string }, { name: string }>((db, p) =>
      db
        .selectFrom('settings')
        .select('name')
        .where('value', '=', 'x')
        .where('name', '>', p.name)
        .orderBy('name')
        .limit(p.max),
    );
    expect(await after(storage.reader, { max: 5, name: '' })).toEqual([{ name: 'a' }, { name: 'b' }]);
    expect(await after(storage.reader, { max: 1, name: 'a' })).toEqual([{ name: 'b' }]);
  });

  it('a statement runs inside its transaction', async () => {
    const storage = await engine.open();
    const set = statement<{ name: string }>((db, p) => db.insertInto('settings').values({ name: p.name, value: '' }));
    const failing = storage.write(async (tx) => {
      await set(tx, { name: 'gone' });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await storage.reader.db.selectFrom('settings').selectAll().execute()).toEqual([]);
  });
});
