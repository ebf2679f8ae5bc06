import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { onDifferingEngines } from '../testing/engines.ts';
import { list } from './lists.ts';
import { Pages } from './page.ts';
import { shapedStatement } from './statement.ts';
import type { Queries, Storage } from './storage.ts';

interface Filter {
  readonly value?: string | null | undefined;
  readonly order?: 'asc' | 'desc';
}

const settings = list<Filter, { name: string; value: string }, 'order'>('settings', {
  page: (db, { value, order = 'asc' }, { limit, offset }) =>
    db
      .selectFrom('settings')
      .selectAll()
      .$if(value !== undefined, (query) => query.where('value', value === null ? 'is' : '=', value as never))
      .orderBy('name', order)
      .limit(limit)
      .offset(offset),
  all: (db, { value }) =>
    db
      .selectFrom('settings')
      .select('name')
      .$if(value !== undefined, (query) => query.where('value', value === null ? 'is' : '=', value as never)),
  decidedBy: ['order'],
});

onDifferingEngines('statements and background reads', (engine) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await engine.open();
    const values = Array.from({ length: 25 }, (_, i) => ({ name: `n${100 + i}`, value: i % 2 === 0 ? 'even' : 'odd' }));
    await storage.write((tx) => tx.db.insertInto('settings').values(values).execute());
  });

  /** Counts the statements of a reader. */
  const counting = () => {
    const texts: string[] = [];
    const { reader } = storage;
    const run: Queries['run'] = (text, ...rest) => {
      texts.push(text);
      return reader.run(text, ...rest);
    };
    return { queries: { ...reader, run }, texts };
  };

  it('a list uses the values of each call, and the text of its filters', async () => {
    const names = async (filter: Filter) => (await settings(storage.reader, filter).rows(2, 1)).map(({ name }) => name);
    expect(await names({})).toEqual(['n101', 'n102']);
    expect(await names({ value: 'odd' })).toEqual(['n103', 'n105']);
    expect(await names({ value: 'even' })).toEqual(['n102', 'n104']);
    expect(await names({ value: 'even', order: 'desc' })).toEqual(['n122', 'n120']);
    expect(await names({ value: undefined, order: 'desc' })).toEqual(['n123', 'n122']);
    expect(await names({ value: null })).toEqual([]);
    expect(await settings(storage.reader, { value: 'odd' }).count(100)).toBe(12);
    expect(await settings(storage.reader, { value: 'odd' }).count(5)).toBe(5);
  });

  it('a page and the total of its list take one statement', async () => {
    const { queries, texts } = counting();
    const page = await new Pages().read(
      { per_page: 5, page: 2 },
      settings(queries, { value: 'even' }),
      ({ name }) => name,
    );
    expect(page.data).toEqual(['n110', 'n112', 'n114', 'n116', 'n118']);
    expect(page.pagination).toEqual({ page: 2, per_page: 5, total: 13, total_pages: 3 });
    expect(texts).toHaveLength(1);
  });

  it('long lists are counted in the background', async () => {
    const [reader, background] = [counting(), counting()];
    const { count } = settings({ ...reader.queries, background: background.queries }, {});
    expect([await count(10_001), await count(10_002)]).toEqual([25, 25]);
    expect([reader.texts.length, background.texts.length]).toEqual([1, 1]);
  });

  it('a page after a thousand rows is read in the background, by its own query', async () => {
    const deep = list<object, { name: string; value: string }>('settings', {
      page: (db, _, { limit, offset }) => db.selectFrom('settings').selectAll().limit(limit).offset(offset),
      deepPage: (db, _, { limit, offset }) =>
        db
          .selectFrom('settings')
          .selectAll()
          .where('name', '=', 'n107')
          .limit(limit)
          .offset(sql<number>`${offset} - 1000` as never),
      all: (db) => db.selectFrom('settings').select('name'),
    });
    const [reader, background] = [counting(), counting()];
    const { rows, rowsAndCount } = deep({ ...reader.queries, background: background.queries }, {});
    expect(await rows(100, 999)).toEqual([]);
    expect([reader.texts.length, background.texts.length]).toEqual([1, 0]);
    expect(await rows(100, 1_000)).toEqual([{ name: 'n107', value: 'odd' }]);
    expect(await rowsAndCount?.(100, 1_000, 10_001)).toMatchObject({ rows: [{ name: 'n107' }], count: 25 });
    expect([reader.texts.length, background.texts.length]).toEqual([1, 2]);
  });

  it('the total of a list is counted apart for a page beyond its end', async () => {
    const { queries, texts } = counting();
    const page = await new Pages().read({ per_page: 20, page: 9 }, settings(queries, {}));
    expect(page).toEqual({ data: [], pagination: { page: 9, per_page: 20, total: 25, total_pages: 2 } });
    expect(texts).toHaveLength(2);
  });

  it('the texts of a statement stay right when callers choose more values than are kept', async () => {
    const longer = shapedStatement<{ name: string; than: number }, { name: string }, 'than'>(
      (db, { name, than }) => db.selectFrom('settings').select('name').where('name', '>', name).limit(than),
      ['than'],
    );
    for (let than = 1; than <= 450; than++)
      expect(await longer(storage.reader, { name: 'n1', than })).toHaveLength(Math.min(than, 25));
    expect(await longer(storage.reader, { name: 'n110', than: 3 })).toHaveLength(3);
  });
});
