import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import { openLocalBus } from '../bus/local-bus.ts';
import type { Storage } from '../storage/storage.ts';
import { onBothEngines } from '../testing/engines.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import { enqueue, type NewJob } from './enqueue.ts';
import { JobFailure, type JobKind } from './job.ts';
import { JobWorker, type JobWorkerOptions } from './worker.ts';

const jobs = (storage: Storage) => storage.reader.db.selectFrom('jobs').selectAll().orderBy('id').execute();

onBothEngines((engine) => {
  /** A clock that the test moves. Jobs that wait for a time wait for it; what is due is done in real time. */
  async function garden() {
    const clock = { now: 1_700_000_000_000 };
    const storage = await engine.open({ clock: () => clock.now });
    const log = new QuietLog();
    const bus = openLocalBus({ log });
    storage.onCommit((notices) => {
      for (const { topic, message } of notices) bus.publish(topic, message);
    });
    const worker = (handlers: Record<string, JobKind>, options: Partial<JobWorkerOptions> = {}) =>
      new JobWorker({ storage, bus, handlers, log, replica: 'a', clock: () => clock.now, sweepMs: 60_000, ...options });
    const add = (job: Partial<NewJob> = {}) => storage.write((tx) => enqueue(tx, { kind: 'water', payload: null, ...job }));
    const pass = (ms: number) => {
      clock.now += ms;
      bus.publish('jobs');
    };
    const none = () => until(async () => (await jobs(storage)).length === 0, { describe: 'the end of all jobs' });
    return { storage, log, clock, worker, add, pass, none };
  }

  describe('a job', () => {
    it('runs with its payload as soon as it is committed, and is gone when done', async () => {
      const { worker, add, none } = await garden();
      const seen: unknown[] = [];
      const one = worker({ water: { run: async ({ job }) => (seen.push(job.payload), 'done') } });
      one.start();
      await add({ payload: { plant: 'fern' } });
      await none();
      await one.stop();
      expect(seen).toEqual([{ plant: 'fern' }]);
    });

    it('is not there when its transaction fails', async () => {
      const { storage } = await garden();
      const failing = storage.write(async (tx) => {
        await enqueue(tx, { kind: 'water', payload: null });
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await jobs(storage)).toEqual([]);
    });

    it('waits for its time', async () => {
      const { storage, clock, worker, add, pass, none } = await garden();
      const ranAt: number[] = [];
      const one = worker({ water: { run: async () => (ranAt.push(clock.now), 'done') } });
      one.start();
      const due = clock.now + 5_000;
      await add({ runAt: due });
      pass(4_999);
      await add({ kind: 'other' });
      expect(await jobs(storage)).toHaveLength(2);
      pass(1);
      await until(() => ranAt.length === 1, { describe: 'the run' });
      expect(ranAt).toEqual([due]);
      await storage.write((tx) => tx.db.deleteFrom('jobs').where('kind', '=', 'other').execute());
      await none();
      await one.stop();
    });

    it('runs again at the time its handler says', async () => {
      const { clock, worker, add, pass, none } = await garden();
      const ranAt: number[] = [];
      const begun = clock.now;
      const run: JobKind['run'] = async () => (ranAt.push(clock.now) === 1 ? { again: begun + 1_000 } : 'done');
      const one = worker({ water: { run } });
      one.start();
      await add();
      await until(() => ranAt.length === 1, { describe: 'the first run' });
      pass(1_000);
      await none();
      await one.stop();
      expect(ranAt).toEqual([begun, begun + 1_000]);
    });

    it('is left alone by a worker that does not know its kind', async () => {
      const { storage, worker, add, none } = await garden();
      const one = worker({ water: { run: async () => 'done' } });
      await add({ kind: 'prune' });
      await add();
      one.start();
      await until(async () => (await jobs(storage)).length === 1, { describe: 'the end of the known one' });
      await one.stop();
      expect((await jobs(storage))[0]).toMatchObject({ kind: 'prune', lease_owner: null, attempts: 0 });
      const other = worker({ prune: { run: async () => 'done' } });
      other.start();
      await none();
      await other.stop();
    });
  });

  describe('a key', () => {
    it('keeps one unfinished job, at the earlier of the times asked for', async () => {
      const { storage, clock, add } = await garden();
      await add({ key: 'fern', payload: 'first', runAt: clock.now + 2_000 });
      await add({ key: 'fern', payload: 'second', runAt: clock.now + 9_000 });
      expect(await jobs(storage)).toMatchObject([{ payload: '"first"', run_at: clock.now + 2_000 }]);
      await add({ key: 'fern', runAt: clock.now + 1_000 });
      expect(await jobs(storage)).toMatchObject([{ payload: '"first"', run_at: clock.now + 1_000 }]);
      await add({ key: 'moss' });
      expect(await jobs(storage)).toHaveLength(2);
    });

    it('runs once more when it was asked for during the run', async () => {
      const { clock, worker, add, pass, none, storage } = await garden();
      let runs = 0;
      let finish = () => {};
      const first = new Promise<void>((done) => {
        finish = done;
      });
      const one = worker({
        water: {
          run: async () => {
            if (++runs === 1) await first;
            return 'done';
          },
        },
      });
      one.start();
      await add({ key: 'fern' });
      await until(() => runs === 1, { describe: 'the first run' });
      await add({ key: 'fern', runAt: clock.now + 3_600_000 });
      await add({ key: 'fern', runAt: clock.now + 7_200_000 });
      finish();
      await until(async () => (await jobs(storage))[0]?.lease_owner === null, { describe: 'the end of the first run' });
      pass(3_600_000);
      await none();
      await one.stop();
      expect(runs).toBe(2);
    });
  });

  describe('a failure', () => {
    it('is tried again later and later, and set aside in the end, with a reason that holds no secret', async () => {
      const { storage, clock, worker, add, pass, log } = await garden();
      const ranAt: number[] = [];
      const one = worker({
        water: {
          maxAttempts: 3,
          run: async () => {
            ranAt.push(clock.now);
            throw Object.assign(new Error('password hunter2 refused'), { code: 'EAUTH' });
          },
        },
      });
      one.start();
      await add({ key: 'fern' });
      for (const attempts of [1, 2]) {
        const waits = { describe: `the end of run ${attempts}` };
        await until(async () => (await jobs(storage))[0]?.lease_owner === null && ranAt.length === attempts, waits);
        const [job] = await jobs(storage);
        const wait = (job?.run_at ?? 0) - clock.now;
        expect(wait).toBeGreaterThanOrEqual(500 * 2 ** (attempts - 1));
        expect(wait).toBeLessThanOrEqual(1_000 * 2 ** (attempts - 1));
        pass(wait);
      }
      await until(async () => (await jobs(storage))[0]?.dead === 1, { describe: 'the dead letter' });
      const [dead] = await jobs(storage);
      expect(dead).toMatchObject({ attempts: 3, lease_owner: null, last_error: 'Error EAUTH' });
      expect(log.lines.at(-1)).toMatchObject({ level: 'error' });
      // The key is free again.
      await add({ key: 'fern', runAt: clock.now + 1_000 });
      expect(await jobs(storage)).toHaveLength(2);
      await one.stop();
    });

    it('keeps the words of an error that was written for people', async () => {
      const { storage, worker, add } = await garden();
      const one = worker({
        water: {
          maxAttempts: 1,
          run: async () => {
            throw new JobFailure('the well is dry');
          },
        },
      });
      one.start();
      await add();
      await until(async () => (await jobs(storage))[0]?.dead === 1, { describe: 'the dead letter' });
      expect((await jobs(storage))[0]?.last_error).toBe('the well is dry');
      await one.stop();
    });
  });

  it('runs only so many of a kind at once, and a busy kind does not hold up another', async () => {
    const { worker, add, none } = await garden();
    let running = 0;
    let most = 0;
    let pruned = false;
    const finish: (() => void)[] = [];
    const one = worker({
      water: {
        concurrency: 2,
        run: async () => {
          most = Math.max(most, ++running);
          await new Promise<void>((done) => finish.push(done));
          running--;
          return 'done';
        },
      },
      prune: { run: async () => ((pruned = true), 'done') },
    });
    for (let i = 0; i < 5; i++) await add();
    one.start();
    await until(() => finish.length === 2, { describe: 'two at once' });
    await add({ kind: 'prune' });
    await until(() => pruned, { describe: 'the other kind' });
    for (let i = 0; i < 5; i++) {
      await until(() => finish[i], { describe: `run ${i}` });
      finish[i]?.();
    }
    await none();
    await one.stop();
    expect(most).toBe(2);
  });

  describe('a lease', () => {
    it('is extended while its job runs', async () => {
      const { storage, clock, worker, add, pass } = await garden();
      let finish = () => {};
      const slow: JobKind = {
        run: async () => {
          await new Promise<void>((done) => {
            finish = done;
          });
          return 'done';
        },
      };
      const one = worker({ water: slow }, { leaseMs: 60 });
      one.start();
      await add();
      await until(async () => (await jobs(storage))[0]?.lease_owner?.startsWith('a:'), { describe: 'the claim' });
      pass(50);
      await until(async () => (await jobs(storage))[0]?.run_at === clock.now + 60, { describe: 'the extension' });
      finish();
      await one.stop();
      expect(await jobs(storage)).toEqual([]);
    });

    it('that ran out gives the job to another, and what the first one still does is undone', async () => {
      const { storage, clock, worker, add, none } = await garden();
      const effects: string[] = [];
      const resume: (() => void)[] = [];
      const effect = (name: string): JobKind => ({
        run: async ({ complete }) => {
          if (name === 'a') await new Promise<void>((done) => resume.push(done));
          return await storage.write(async (tx) => {
            await tx.db.insertInto('settings').values({ name, value: '' }).execute();
            return await complete(tx);
          });
        },
      });
      const first = worker({ water: effect('a') }, { leaseMs: 600_000 });
      first.start();
      await add();
      await until(() => resume.length === 1, { describe: 'the first run' });
      clock.now += 600_001;
      const second = worker({ water: effect('b') }, { replica: 'b' });
      second.start();
      await none();
      resume[0]?.();
      await Promise.all([first.stop(), second.stop()]);
      const settings = await storage.reader.db.selectFrom('settings').select('name').execute();
      effects.push(...settings.map((row) => row.name));
      expect(effects).toEqual(['b']);
    });
  });

  describe('stopping', () => {
    it('waits for what is running', async () => {
      const { storage, worker, add } = await garden();
      let finish = () => {};
      let begun = false;
      const one = worker({
        water: {
          run: async () => {
            begun = true;
            await new Promise<void>((done) => {
              finish = done;
            });
            return 'done';
          },
        },
      });
      one.start();
      await add();
      await until(() => begun, { describe: 'the run' });
      const stopping = one.stop();
      finish();
      await stopping;
      expect(await jobs(storage)).toEqual([]);
    });

    it('interrupts what takes too long and gives it back at once, without counting the attempt', async () => {
      const { storage, clock, worker, add } = await garden();
      let begun = false;
      const one = worker({
        water: {
          run: ({ signal }) => {
            begun = true;
            return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
          },
        },
      });
      one.start();
      await add();
      await until(() => begun, { describe: 'the run' });
      await one.stop({ withinMs: 1 });
      expect(await jobs(storage)).toMatchObject([{ lease_owner: null, attempts: 0, run_at: clock.now, dead: 0 }]);
    });
  });

  it('repeats a recurring job, also after it failed for good, and keeps one of it', async () => {
    const { storage, clock, worker, pass } = await garden();
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
    const [one, two] = [worker({ tidy }), worker({ tidy }, { replica: 'b' })];
    one.start();
    two.start();
    for (const runs of [1, 2, 3]) {
      await until(async () => (await jobs(storage))[0]?.run_at === clock.now + 1_000, { describe: 'the next time' });
      pass(1_000);
      await until(() => ranAt.length === runs, { describe: `run ${runs}` });
    }
    await Promise.all([one.stop(), two.stop()]);
    expect(ranAt).toEqual([1_000, 2_000, 3_000]);
    expect(await jobs(storage)).toHaveLength(1);
  });
});
