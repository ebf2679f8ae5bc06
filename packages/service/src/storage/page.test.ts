import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import { type Listing, Pages, slice } from './page.ts';

/** A list of numbers that remembers how far it was counted. */
function numbers(state: { length: number }, countKey = 'numbers') {
  const counted: number[] = [];
  const listing: Listing<number> = {
    rows: async (limit, offset) =>
      Array.from({ length: Math.max(0, Math.min(limit, state.length - offset)) }, (_, i) => offset + i),
    count: async (atMost) => {
      counted.push(atMost);
      return Math.min(atMost, state.length);
    },
    countKey,
  };
  return { listing, counted };
}

describe('a page of a list in the database', () => {
  it.each([
    [0, 1, 20, 0, 0],
    [5, 1, 20, 5, 1],
    [20, 1, 20, 20, 1],
    [21, 1, 20, 20, 2],
    [21, 2, 20, 1, 2],
    [21, 3, 20, 0, 2],
    [10_000, 1, 100, 100, 100],
    [10_000, 100, 100, 100, 100],
    [10_000, 101, 100, 0, 100],
  ])('has the right rows and total: of %i rows, page %i by %i', async (length, page, per_page, shown, total_pages) => {
    const { data, pagination } = await new Pages().read({ page, per_page }, numbers({ length }).listing);
    expect(data).toHaveLength(shown);
    if (shown > 0) expect(data[0]).toBe((page - 1) * per_page);
    expect(pagination).toEqual({ page, per_page, total: length, total_pages });
  });

  it('has 20 rows by default', async () => {
    const { data, pagination } = await new Pages().read({}, numbers({ length: 30 }).listing);
    expect([data.length, pagination]).toEqual([20, { page: 1, per_page: 20, total: 30, total_pages: 2 }]);
  });

  it('counts only if the total does not follow from the page', async () => {
    const { listing, counted } = numbers({ length: 25 });
    const pages = new Pages();
    await pages.read({ page: 2 }, listing);
    expect(counted).toEqual([]);
    await pages.read({ page: 1 }, listing);
    await pages.read({ page: 1 }, listing);
    expect(counted).toEqual([10_001, 10_001]);
  });

  it('has an exact total up to 10,000', async () => {
    const state = { length: 10_000 };
    const { listing } = numbers(state);
    const pages = new Pages();
    expect((await pages.read({}, listing)).pagination.total).toBe(10_000);
    state.length = 9_000;
    expect((await pages.read({}, listing)).pagination.total).toBe(9_000);
  });

  /** A list of 50,000 whose total was asked for once, and its clock. */
  async function known() {
    const state = { length: 50_000, now: 0 };
    const { listing, counted } = numbers(state);
    const pages = new Pages(() => state.now);
    const total = async (of = listing) => (await pages.read({}, of)).pagination.total;
    expect(await total()).toBe(50_000);
    expect(counted.splice(0)).toEqual([10_001, Number.MAX_SAFE_INTEGER]);
    return { state, listing, counted, total };
  }

  it('caches a larger total, and recounts it in the background after 5 seconds, once for all callers', async () => {
    const { state, counted, total } = await known();
    state.length = 60_000;
    state.now = 4_999;
    expect(await total()).toBe(50_000);
    expect(counted).toEqual([]);
    state.now = 5_000;
    expect(await Promise.all([total(), total(), total()])).toEqual([50_000, 50_000, 50_000]);
    await until(async () => (await total()) === 60_000, { describe: 'the new count' });
    expect(counted).toEqual([Number.MAX_SAFE_INTEGER]);
  });

  it('never shows a total that is older than 10 seconds', async () => {
    const { state, counted, total } = await known();
    state.length = 70_000;
    state.now = 10_000;
    expect(await Promise.all([total(), total()])).toEqual([70_000, 70_000]);
    expect(counted.filter((atMost) => atMost > 10_001)).toHaveLength(1);
  });

  it('has an exact total again when a long list has become short', async () => {
    const { state, total } = await known();
    state.length = 500;
    state.now = 5_000;
    await total();
    await until(async () => (await total()) === 500, { describe: 'the new count' });
    state.length = 501;
    expect(await total()).toBe(501);
  });

  it('counts again after a failed count', async () => {
    const { state, listing, total } = await known();
    const away = new Error('the database is away');
    const failing = { ...listing, count: () => Promise.reject(away) };
    state.now = 5_000;
    expect(await total(failing)).toBe(50_000);
    state.length = 60_000;
    await until(async () => (await total()) === 60_000, { describe: 'a new count' });
    state.now = 30_000;
    await expect(total(failing)).rejects.toBe(away);
  });

  it('caches totals per list, and only those of the most recent lists', async () => {
    const pages = new Pages(() => 0);
    const first = numbers({ length: 20_000 }, 'first');
    await pages.read({}, first.listing);
    for (let i = 0; i < 1_000; i++) await pages.read({}, numbers({ length: 30_000 + i }, `list ${i}`).listing);
    expect(first.counted).toHaveLength(2);
    expect((await pages.read({}, first.listing)).pagination.total).toBe(20_000);
    expect(first.counted).toHaveLength(4);
    const last = numbers({ length: 1 }, 'list 999');
    expect((await pages.read({ per_page: 1 }, last.listing)).pagination.total).toBe(30_999);
  });
});

describe('a page of a list in memory', () => {
  it.each([
    [{}, [0, 1, 2, 3, 4], { page: 1, per_page: 20, total: 5, total_pages: 1 }],
    [{ page: 2, per_page: 2 }, [2, 3], { page: 2, per_page: 2, total: 5, total_pages: 3 }],
    [{ page: 4, per_page: 2 }, [], { page: 4, per_page: 2, total: 5, total_pages: 3 }],
  ])('%j', (request, data, pagination) => {
    expect(slice([0, 1, 2, 3, 4], request)).toEqual({ data, pagination });
  });
});
