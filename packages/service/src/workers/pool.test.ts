import { pathToFileURL } from 'node:url';
import { serviceWorker } from '@hortus/testkit/programs';
import { afterEach, describe, expect, it } from 'vitest';
import { Problem } from '../problem.ts';
import { guardWith } from '../process/guard.ts';
import { READ_DRAFT } from '../resources/drafts/written.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import { openWorkerPool } from '../wiring/worker-pool.ts';
import type { PoolLimits, WorkerPool } from './pool.ts';
import { Waiting } from './waiting.ts';

const owner = { account: 'acc_1', field: 'source' };
const good = {
  source:
    'slug: a\nname: A\nversion: 1.0.0\narchetype: worker\ntaxonomy: {kingdom: data, family: x}\nimage: {repository: a, tag: "1"}\n',
};
/** Some seconds of work for one thread. */
const costly = { source: Array.from({ length: 80_000 }, (_, i) => `k${i}: 1\n`).join('') };

const pools: WorkerPool[] = [];
const poolOf = (limits: Partial<PoolLimits> = {}) => {
  const pool = openWorkerPool(guardWith(new QuietLog()), limits, pathToFileURL(serviceWorker));
  pools.push(pool);
  return pool;
};
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('It was accepted.'),
    (error: Problem) => error,
  );

describe('a job', () => {
  it('returns its result or throws its problem', async () => {
    const pool = poolOf();
    expect(await pool.run(READ_DRAFT, owner, good)).toMatchObject({ species: 'a', version: '1.0.0' });
    const problem = await refusal(pool.run(READ_DRAFT, owner, { source: 'slug: a' }));
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ code: 'VALIDATION_ERROR', details: { field: 'source' } });
  });

  it('that exceeds the time limit is refused with the field, and its thread is replaced', async () => {
    const pool = poolOf({ threads: 1, cpuMs: 1_000 });
    expect(await refusal(pool.run(READ_DRAFT, owner, costly))).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'source: takes too long to process; make it smaller or simpler.',
      details: { field: 'source', reason: 'too_costly' },
    });
    expect(await pool.run(READ_DRAFT, owner, good)).toMatchObject({ species: 'a' });
  });

  it('that exceeds the memory limit is refused with the field, and its thread is replaced', async () => {
    const pool = poolOf({ threads: 1, heapMb: 48, cpuMs: 60_000, wallMs: 60_000 });
    expect(await refusal(pool.run(READ_DRAFT, owner, costly))).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { field: 'source', reason: 'too_costly' },
    });
    expect(await pool.run(READ_DRAFT, owner, good)).toMatchObject({ species: 'a' });
  });

  it('ends with the pool', async () => {
    const pool = poolOf();
    const running = refusal(pool.run(READ_DRAFT, owner, costly));
    await pool.close();
    expect((await running).message).toContain('stopped');
    expect(await refusal(pool.run(READ_DRAFT, owner, good))).toMatchObject({ code: 'RATE_LIMITED' });
  });
});

describe('accounts', () => {
  it('take turns, so that many jobs of one do not delay another', () => {
    const waiting = new Waiting<string>(1);
    for (const job of ['a1', 'a2', 'a3']) waiting.add('a', job);
    waiting.add('b', 'b1');
    expect([waiting.take(), waiting.take(), waiting.take()]).toEqual(['a1', 'b1', undefined]);
    waiting.free('a');
    expect(waiting.take()).toBe('a2');
  });

  it('with too many waiting jobs are asked to retry later', async () => {
    const pool = poolOf({ threads: 1 });
    const jobs = Array.from({ length: 40 }, () => pool.run(READ_DRAFT, owner, good).catch((error) => error));
    const other = pool.run(READ_DRAFT, { ...owner, account: 'acc_2' }, good);
    const refused = (await Promise.all(jobs)).filter((outcome) => outcome instanceof Problem);
    expect(refused).toHaveLength(8);
    expect(refused[0]).toMatchObject({ code: 'RATE_LIMITED', details: { retry_after: 2 } });
    expect(await other).toMatchObject({ species: 'a' });
  });
});
