import { setTimeout as sleep } from 'node:timers/promises';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Notice, Storage, Tx } from '../storage.ts';
import { openSqlite } from './open.ts';

let folder: TemporaryFolder;
let storage: Storage;

beforeEach(async () => {
  folder = temporaryFolder('group-commit');
  storage = await openSqlite(folder.path);
});

afterEach(async () => {
  await storage.close();
  await folder.remove();
});

const put = (tx: Tx, name: string, value = '') => tx.db.insertInto('settings').values({ name, value }).execute();

const names = async () =>
  (await storage.reader.db.selectFrom('settings').select('name').orderBy('name').execute()).map((row) => row.name);

describe('failing callbacks', () => {
  it('only the callback that rejects is rolled back', async () => {
    const outcomes = await Promise.allSettled([
      storage.write((tx) => put(tx, 'a')),
      storage.write(async (tx) => {
        await put(tx, 'b');
        throw new Error('changed my mind');
      }),
      storage.write((tx) => put(tx, 'c')),
    ]);
    expect(outcomes.map((o) => o.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await names()).toEqual(['a', 'c']);
  });

  it('the others are run again only if the failed one had written', async () => {
    await storage.write((tx) => put(tx, 'taken'));
    const neighbourRuns = async (failing: (tx: Tx) => Promise<unknown>) => {
      let runs = 0;
      const neighbour = storage.write(async () => void runs++);
      await expect(storage.write(failing)).rejects.toThrow();
      await neighbour;
      return runs;
    };
    expect(await neighbourRuns((tx) => put(tx, 'taken'))).toBe(1);
    expect(await neighbourRuns((tx) => put(tx, 'free').then(() => put(tx, 'taken')))).toBe(2);
    expect(await names()).toEqual(['taken']);
  });

  it('a callback that throws before its first await is handled the same way', async () => {
    const runs = { neighbour: 0 };
    const outcomes = await Promise.allSettled([
      storage.write((tx) => {
        runs.neighbour++;
        return put(tx, 'a');
      }),
      storage.write(() => {
        throw new Error('at once');
      }),
    ]);
    expect(outcomes.map((o) => o.status)).toEqual(['fulfilled', 'rejected']);
    expect(runs.neighbour).toBe(1);
  });

  it('a callback may continue after a failed query', async () => {
    await storage.write((tx) => put(tx, 'taken'));
    await storage.write(async (tx) => {
      await put(tx, 'taken').catch(() => put(tx, 'free'));
    });
    expect(await names()).toEqual(['free', 'taken']);
  });

  it('a callback that awaits anything but queries is refused, and the others run', async () => {
    const outcomes = await Promise.allSettled([
      storage.write((tx) => put(tx, 'before')),
      storage.write(async (tx) => {
        await put(tx, 'foreign');
        await sleep(20);
        await put(tx, 'foreign too');
      }),
      storage.write((tx) => put(tx, 'after')),
    ]);
    expect(outcomes.map((o) => o.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { message: expect.stringContaining('other than a query') } });
    expect(await names()).toEqual(['after', 'before']);
  });

  it('a query after the end of its transaction is refused', async () => {
    let kept: Tx | undefined;
    await storage.write(async (tx) => {
      kept = tx;
    });
    await expect(put(kept as Tx, 'stray')).rejects.toThrow('after its transaction had ended');
    expect(await names()).toEqual([]);
  });
});

describe('a long transaction', () => {
  /** Every statement of this storage takes longer than a batch may hold the event loop. */
  async function withSlowStatements() {
    const own = temporaryFolder('long-transaction');
    const beforeStatement = () => {
      for (const end = performance.now() + 15; performance.now() < end; );
    };
    const slow = await openSqlite(own.path, { beforeStatement });
    const kept = async () =>
      (await slow.reader.db.selectFrom('settings').select('name').orderBy('name').execute()).map(({ name }) => name);
    const end = async () => {
      await slow.close();
      await own.remove();
    };
    return { slow, kept, [Symbol.asyncDispose]: end };
  }

  /** Counts the turns of the event loop while `work` runs. */
  async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
    let turns = 0;
    let counting = true;
    const count = () => {
      turns++;
      if (counting) setImmediate(count);
    };
    count();
    await work();
    counting = false;
    return turns;
  }

  it('yields to the event loop between its statements', async () => {
    await using at = await withSlowStatements();
    const statements = 10;
    let during = 0;
    await at.slow.write(async (tx) => {
      during = await turnsDuring(async () => {
        for (let i = 0; i < statements; i++) await put(tx, `${i}`);
      });
    });
    expect(during).toBeGreaterThanOrEqual(statements - 1);
    expect(await at.kept()).toHaveLength(statements);
  });

  it('is invisible to readers before its commit', async () => {
    await using at = await withSlowStatements();
    const seen: string[][] = [];
    const work = at.slow.write(async (tx) => {
      for (let i = 0; i < 4; i++) await put(tx, `${i}`);
    });
    let ended = false;
    const reading = (async () => {
      while (!ended) {
        const names = await at.kept();
        if (!ended) seen.push(names);
        await new Promise((next) => setImmediate(next));
      }
    })();
    await work.finally(() => {
      ended = true;
    });
    await reading;
    for (const names of seen) expect([0, 4]).toContain(names.length);
    expect(seen.filter((names) => names.length === 0).length).toBeGreaterThan(2);
  });

  it('runs statements that were sent together in their order', async () => {
    await using at = await withSlowStatements();
    const append = (tx: Tx, text: string) => tx.run('update settings set value = value || ?', [text]);
    await at.slow.write(async (tx) => {
      await put(tx, 'a name');
      await Promise.all([append(tx, '1').then(() => append(tx, '3')), append(tx, '2')]);
    });
    expect(await at.slow.reader.db.selectFrom('settings').select('value').execute()).toEqual([{ value: '123' }]);
  });

  it('that fails rolls back only its own writes', async () => {
    await using at = await withSlowStatements();
    const outcomes = await Promise.allSettled([
      at.slow.write((tx) => put(tx, 'before')),
      at.slow.write(async (tx) => {
        await put(tx, 'lost');
        await put(tx, 'lost too');
        throw new Error('changed my mind');
      }),
      at.slow.write((tx) => put(tx, 'after')),
    ]);
    expect(outcomes.map((o) => o.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await at.kept()).toEqual(['after', 'before']);
  });

  it('completes after one of its batch failed while a statement of it was waiting', async () => {
    await using at = await withSlowStatements();
    const outcomes = await Promise.allSettled([
      at.slow.write(async (tx) => {
        await put(tx, 'lost');
        tx.run('select 1', []).catch(() => {});
        throw new Error('changed my mind');
      }),
      at.slow.write(async (tx) => {
        await put(tx, 'one');
        await put(tx, 'two');
      }),
    ]);
    expect(outcomes).toMatchObject([{ reason: { message: 'changed my mind' } }, { status: 'fulfilled' }]);
    expect(await at.kept()).toEqual(['one', 'two']);
  });

  it('that awaits anything but queries is still aborted', async () => {
    await using at = await withSlowStatements();
    const foreign = at.slow.write(async (tx) => {
      await put(tx, 'one');
      await put(tx, 'two');
      await new Promise(() => {});
    });
    await expect(foreign).rejects.toThrow('other than a query');
    expect(await at.kept()).toEqual([]);
  });
});

describe('commits', () => {
  it('are shared by concurrent callers, and announced once', async () => {
    const commits: (readonly Notice[])[] = [];
    storage.onCommit((notices) => commits.push(notices));
    await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        storage.write(async (tx) => {
          await put(tx, name);
          tx.notify('settings', name);
        }),
      ),
    );
    expect(commits.map((notices) => notices.map((n) => n.message))).toEqual([['a', 'b', 'c']]);
  });

  it('announce nothing of a transaction that was rolled back', async () => {
    const reported: string[] = [];
    storage.onCommit((notices) => reported.push(...notices.map((n) => n.message)));
    const failing = storage.write(async (tx) => {
      tx.notify('settings', 'never');
      throw new Error('no');
    });
    await Promise.allSettled([failing, storage.write(async (tx) => tx.notify('settings', 'kept'))]);
    expect(reported).toEqual(['kept']);
  });

  it('are visible to the reader once acknowledged', async () => {
    await storage.write((tx) => put(tx, 'a'));
    expect(await names()).toEqual(['a']);
  });
});

describe('a full disk', () => {
  /** SQLite behaves the same when the file may not grow. */
  const fillDisk = (spare: number) =>
    storage.write(async (tx) => {
      const [count] = (await tx.run('pragma page_count', [])).rows as { page_count: number }[];
      await tx.run(`pragma max_page_count = ${(count?.page_count ?? 0) + spare}`, []);
    });
  const big = 'x'.repeat(1_000_000);

  it('loses the batch, runs it again one by one, and fails only what is too large', async () => {
    await fillDisk(8);
    const runs: string[] = [];
    const write = (name: string, value: string) =>
      storage.write((tx) => {
        runs.push(name);
        return put(tx, name, value);
      });
    const outcomes = await Promise.allSettled([write('a', ''), write('huge', big), write('c', '')]);
    expect(outcomes.map((o) => o.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { cause: { message: expect.stringContaining('full') } } });
    expect(runs).toEqual(['a', 'huge', 'a', 'huge', 'c']);
    expect(await names()).toEqual(['a', 'c']);
  });

  it('discards the writes of a callback that continues after it', async () => {
    await fillDisk(8);
    const stubborn = storage.write(async (tx) => {
      await put(tx, 'huge', big).catch(() => {});
      await put(tx, 'alone').catch(() => {});
    });
    await expect(stubborn).rejects.toThrow('rolled the transaction back');
    expect(await names()).toEqual([]);
  });
});

it('close finishes started transactions and accepts no more', async () => {
  const last = storage.write((tx) => put(tx, 'last'));
  const closing = storage.close();
  await expect(storage.write((tx) => put(tx, 'late'))).rejects.toThrow('closed');
  await Promise.all([last, closing]);
  storage = await openSqlite(folder.path);
  expect(await names()).toEqual(['last']);
});

describe('an fsync', () => {
  /** A separate storage whose disk answers on command. */
  async function onSlowDisk() {
    const own = temporaryFolder('slow-disk');
    const waiting: PromiseWithResolvers<void>[] = [];
    const toDisk = () => {
      waiting.push(Promise.withResolvers());
      return waiting.at(-1)?.promise ?? expect.fail();
    };
    const slow = await openSqlite(own.path, { toDisk });
    const asked = (times: number) => until(() => waiting.length === times, { describe: `sync ${times}` });
    const end = async () => {
      for (const resolvers of waiting) resolvers.resolve();
      await slow.close();
      await own.remove();
    };
    return { slow, waiting, asked, [Symbol.asyncDispose]: end };
  }

  it('is awaited only by its writers; later writers share the next one', async () => {
    await using disk = await onSlowDisk();
    const responded: string[] = [];
    const write = (name: string) => disk.slow.write((tx) => put(tx, name)).then(() => responded.push(name));
    const first = write('first');
    await disk.asked(1);
    const later = [write('second'), write('third')];
    expect(await disk.slow.reader.db.selectFrom('settings').select('name').execute()).toEqual([{ name: 'first' }]);
    expect(responded).toEqual([]);
    disk.waiting[0]?.resolve();
    await first;
    await disk.asked(2);
    expect(responded).toEqual(['first']);
    disk.waiting[1]?.resolve();
    await Promise.all(later);
    expect(disk.waiting).toHaveLength(2);
  });

  it('that fails ends all writing, and every writer gets the error', async () => {
    await using disk = await onSlowDisk();
    const notices: string[] = [];
    disk.slow.onCommit((reported) => notices.push(...reported.map(({ topic }) => topic)));
    const write = (name: string) =>
      disk.slow.write(async (tx) => {
        tx.notify(name);
        await put(tx, name);
      });
    const first = write('first');
    await disk.asked(1);
    const meanwhile = write('meanwhile');
    disk.waiting[0]?.reject(new Error('EIO: i/o error, fdatasync'));
    for (const lost of [first, meanwhile, write('later')]) await expect(lost).rejects.toThrow(/Writing to disk failed/);
    expect(disk.waiting).toHaveLength(1);
    expect(notices).toEqual([]);
  });
});
