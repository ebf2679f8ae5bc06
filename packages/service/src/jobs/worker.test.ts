import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import { onDifferingEngines } from '../testing/engines.ts';
import { enqueueIfMissing } from './enqueue.ts';
import { JobFailure, type JobKind } from './job.ts';
import { Gate, openJobQueue } from './testing/job-queue.ts';

onDifferingEngines('claims of jobs and notices about them', (engine) => {
  describe('a job', () => {
    it('runs with its payload as soon as it is committed, and is deleted when done', async () => {
      const { worker, add, none } = await openJobQueue(engine);
      const seen: unknown[] = [];
      const item = worker({
        water: {
          run: async ({ job }) => {
            seen.push(job.payload);
            return 'done';
          },
        },
      });
      item.start();
      await add({ payload: { plant: 'fern' } });
      await none();
      await item.stop();
      expect(seen).toEqual([{ plant: 'fern' }]);
    });

    it('waits for its due time, and runs again at the time its handler returns', async () => {
      const { clock, worker, add, pass, none, jobs } = await openJobQueue(engine);
      const ranAt: number[] = [];
      const begun = clock.now;
      const run: JobKind['run'] = async () => (ranAt.push(clock.now) === 1 ? { again: begun + 9_000 } : 'done');
      const item = worker({ water: { run } });
      item.start();
      await add({ runAt: begun + 5_000 });
      pass(4_999);
      pass(1);
      await until(async () => ranAt.length === 1 && (await jobs())[0]?.lease_owner === null, { describe: 'one run' });
      expect((await jobs())[0]).toMatchObject({ run_at: begun + 9_000, attempts: 0 });
      pass(4_000);
      await none();
      await item.stop();
      expect(ranAt).toEqual([begun + 5_000, begun + 9_000]);
    });

    it('of an unknown kind is left to other workers', async () => {
      const { jobs, worker, add, none } = await openJobQueue(engine);
      const item = worker({ water: { run: async () => 'done' } });
      await add({ kind: 'prune' });
      await add();
      item.start();
      await until(async () => (await jobs()).length === 1, { describe: 'the end of the known one' });
      await item.stop();
      expect((await jobs())[0]).toMatchObject({ kind: 'prune', lease_owner: null, attempts: 0 });
      const other = worker({ prune: { run: async () => 'done' } });
      other.start();
      await none();
      await other.stop();
    });
  });

  describe('a failure', () => {
    it('is retried with growing pauses, and becomes a dead letter with a reason that contains no secret', async () => {
      const { jobs, clock, worker, add, pass, log } = await openJobQueue(engine);
      const ranAt: number[] = [];
      const item = worker({
        water: {
          maxAttempts: 3,
          run: async () => {
            ranAt.push(clock.now);
            throw Object.assign(new Error('password hunter2 refused'), { code: 'EAUTH' });
          },
        },
      });
      item.start();
      await add({ key: 'fern' });
      for (const attempts of [1, 2]) {
        const over = async () => ranAt.length === attempts && (await jobs())[0]?.lease_owner === null;
        await until(over, { describe: `the end of run ${attempts}` });
        const wait = ((await jobs())[0]?.run_at ?? 0) - clock.now;
        expect(wait).toBeGreaterThanOrEqual(500 * 2 ** (attempts - 1));
        expect(wait).toBeLessThanOrEqual(1_000 * 2 ** (attempts - 1));
        pass(wait);
      }
      await until(async () => (await jobs())[0]?.dead === 1, { describe: 'the dead letter' });
      expect((await jobs())[0]).toMatchObject({ attempts: 3, lease_owner: null, last_error: 'Error EAUTH' });
      await until(() => log.lines.at(-1)?.level === 'error', { describe: 'the log line' });
      // The key is free again.
      await add({ key: 'fern', runAt: clock.now + 1_000 });
      expect(await jobs()).toHaveLength(2);
      await item.stop();
    });

    it('keeps the message of an error that is meant for users', async () => {
      const { jobs, worker, add } = await openJobQueue(engine);
      const run = async () => {
        throw new JobFailure('the well is dry');
      };
      const item = worker({ water: { maxAttempts: 1, run } });
      item.start();
      await add();
      await until(async () => (await jobs())[0]?.dead === 1, { describe: 'the dead letter' });
      expect((await jobs())[0]?.last_error).toBe('the well is dry');
      await item.stop();
    });

    it('at the last attempt does not end a job that was enqueued again meanwhile', async () => {
      const { jobs, clock, worker, add } = await openJobQueue(engine);
      const gate = new Gate();
      const run = () => gate.pass().then(() => Promise.reject(new Error('no')));
      const item = worker({ water: { maxAttempts: 1, run } });
      item.start();
      await add({ key: 'fern' });
      await until(() => gate.waiting, { describe: 'the run' });
      await add({ key: 'fern', runAt: clock.now + 1_000 });
      gate.open();
      await until(async () => (await jobs())[0]?.lease_owner === null, { describe: 'the end of the run' });
      await item.stop();
      expect(await jobs()).toMatchObject([{ dead: 0, attempts: 0, run_at: clock.now + 1_000 }]);
    });
  });

  it('concurrency is limited per kind, and a busy kind does not delay another', async () => {
    const { worker, add, none } = await openJobQueue(engine);
    const gate = new Gate();
    let max = 0;
    let pruned = false;
    const item = worker({
      water: {
        concurrency: 2,
        run: async () => {
          const passing = gate.pass();
          max = Math.max(max, gate.waiting);
          await passing;
          return 'done';
        },
      },
      prune: {
        run: async () => {
          pruned = true;
          return 'done';
        },
      },
    });
    for (let i = 0; i < 5; i++) await add();
    item.start();
    await until(() => gate.waiting === 2, { describe: 'two at once' });
    await add({ kind: 'prune' });
    await until(() => pruned, { describe: 'the other kind' });
    for (const together of [2, 2, 1]) {
      await until(() => gate.waiting === together, { describe: `${together} at once` });
      gate.open();
    }
    await none();
    await item.stop();
    expect(max).toBe(2);
  });

  it('a recurring job repeats even after it failed for good, and exists once', async () => {
    const { jobs, clock, worker, pass } = await openJobQueue(engine);
    const ranAt: number[] = [];
    const begun = clock.now;
    const tidy: JobKind = {
      every: 1_000,
      maxAttempts: 1,
      run: async () => {
        if (ranAt.push(clock.now - begun) === 2) throw new Error('no');
        return 'done';
      },
    };
    const [item, two] = [worker({ tidy }), worker({ tidy }, { replica: 'b' })];
    item.start();
    two.start();
    for (const runs of [1, 2, 3]) {
      await until(async () => (await jobs())[0]?.run_at === clock.now + 1_000, { describe: 'the next time' });
      pass(1_000);
      await until(() => ranAt.length === runs, { describe: `run ${runs}` });
    }
    await Promise.all([item.stop(), two.stop()]);
    expect(ranAt).toEqual([1_000, 2_000, 3_000]);
    expect(await jobs()).toHaveLength(1);
  });

  it('a replica that starts does not make a recurring job run early, and a shortened interval takes effect', async () => {
    const { jobs, clock, worker, add, pass, storage } = await openJobQueue(engine);
    const gate = new Gate();
    const tidy = (every: number): JobKind => ({ every, run: () => gate.pass().then(() => 'done' as const) });
    const water: JobKind = { run: async () => 'done' };
    const tidyJob = async () => (await jobs()).find(({ kind }) => kind === 'tidy');
    /** The sweep that runs the other job has kept the recurring one before. */
    const swept = async () => {
      await add();
      await until(async () => (await jobs()).every(({ kind }) => kind === 'tidy'), { describe: 'a sweep' });
    };
    const item = worker({ tidy: tidy(10_000) });
    item.start();
    await until(tidyJob, { describe: 'the recurring job' });
    pass(10_000);
    await until(() => gate.waiting, { describe: 'its run' });
    const second = worker({ tidy: tidy(10_000), water }, { replica: 'b' });
    second.start();
    await swept();
    pass(500);
    gate.open();
    await until(async () => (await tidyJob())?.lease_owner === null, { describe: 'the end of the run' });
    expect((await tidyJob())?.run_at).toBe(clock.now + 10_000);
    // A replica whose transaction began long ago, before the job existed.
    await storage.write((tx) => enqueueIfMissing(tx, { kind: 'tidy', key: 'tidy', payload: null, runAt: 0 }));
    expect((await tidyJob())?.run_at).toBe(clock.now + 10_000);
    const third = worker({ tidy: tidy(1_000), water }, { replica: 'c' });
    await Promise.all([item.stop(), second.stop()]);
    third.start();
    await swept();
    expect((await tidyJob())?.run_at).toBe(clock.now + 1_000);
    await third.stop();
  });
});
