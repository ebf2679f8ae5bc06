import { until } from '@hortus/testkit/until';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../problem.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import { type Engine, onBothEngines } from '../testing/engines.ts';
import { POLL_MS, type RowJob, rowJob } from './row-job.ts';
import { Gate, openJobQueue } from './testing/job-queue.ts';
import { waker } from './wake.ts';
import type { JobWorker } from './worker.ts';

/** A row that counts its steps. */
interface Counter {
  readonly name: string;
  readonly value: string;
}

const lock = (tx: Tx, name: string): Promise<Counter | undefined> =>
  tx.db.selectFrom('settings').selectAll().where('name', '=', name).executeTakeFirst();

const write = (tx: Tx, { name }: Counter, value: string) =>
  tx.db.updateTable('settings').set({ value }).where('name', '=', name).execute();

const wake = waker('count');
const LEASE_MS = 10_000;

async function openCounters(engine: Engine) {
  const queue = await openJobQueue(engine);
  const { storage, worker } = queue;
  const counters: Pick<RowJob<Counter>, 'storage' | 'lock' | 'isOver' | 'advance'> = {
    storage,
    lock,
    isOver: ({ value }) => value === '3',
    async advance(tx, row) {
      await write(tx, row, String(Number(row.value) + 1));
      return tx.now + POLL_MS;
    },
  };
  return {
    ...queue,
    counters,
    /** Runs jobs as a row job that differs in some properties from `counters`. */
    start<Prepared>(kind: Partial<RowJob<Counter, Prepared>> = {}): JobWorker {
      const handler = rowJob<Counter, Prepared>({ ...(counters as RowJob<Counter, Prepared>), ...kind });
      const started = worker({ count: handler }, { leaseMs: LEASE_MS });
      started.start();
      return started;
    },
    create: (name = 'a') =>
      storage.write(async (tx) => {
        await tx.db.insertInto('settings').values({ name, value: '0' }).execute();
        await wake(tx, name);
      }),
    async value(name = 'a') {
      const row = await storage.reader.db
        .selectFrom('settings')
        .selectAll()
        .where('name', '=', name)
        .executeTakeFirst();
      return row?.value;
    },
    /** Waits until the job is free after a number of failed attempts. */
    async settled(attempts: number) {
      const free = async () => {
        const [job] = await queue.jobs();
        return job?.lease_owner === null && job.attempts === attempts && job;
      };
      await until(free, { describe: `the end of attempt ${attempts}` });
      return (await queue.jobs())[0];
    },
  };
}

const outcomes = ['commits', 'fails', 'dies before its commit', 'dies after its commit'] as const;

onBothEngines((engine) => {
  describe('the job of a row', () => {
    it('advances it at each poll until it is over, without a payload', async () => {
      const { clock, jobs, create, start, value, pass, none } = await openCounters(engine);
      const worker = start();
      await create();
      for (const step of ['1', '2', '3']) {
        await until(async () => (await value()) === step && (await jobs())[0]?.lease_owner === null, {
          describe: `step ${step}`,
        });
        expect((await jobs())[0]).toMatchObject({ key: 'a', payload: 'null', run_at: clock.now + POLL_MS });
        pass(POLL_MS);
      }
      await none();
      await worker.stop();
      expect(await value()).toBe('3');
    });

    it('makes each step once, whenever its process dies or fails', async () => {
      const { storage, clock, counters, worker, create, jobs, pass } = await openCounters(engine);
      const runs = fc.array(fc.constantFrom(...outcomes), { maxLength: 8 });
      const property = fc.asyncProperty(runs, async (plan) => {
        await storage.write((tx) => tx.db.deleteFrom('settings').execute());
        await create();
        const left = [...plan];
        const dead = new Set<string>();
        const workers: JobWorker[] = [];
        const startProcess = (): string => {
          const name = `process${clock.now}-${workers.length}`;
          const die = (): never => {
            dead.add(name);
            throw new Error('killed');
          };
          const own: Storage = { ...storage, write: (work) => (dead.has(name) ? die() : storage.write(work)) };
          const steps: Storage = {
            ...storage,
            async write(work) {
              const outcome = left.shift();
              const result = await storage.write(async (tx) => {
                const written = await work(tx);
                if (outcome === 'fails') throw new Error('no connection');
                return outcome === 'dies before its commit' ? die() : written;
              });
              return outcome === 'dies after its commit' ? die() : result;
            },
          };
          const handler = rowJob({
            ...counters,
            storage: steps,
            async advance(tx, row) {
              // Its name is unique: a repeated step would be refused.
              await tx.db
                .insertInto('settings')
                .values({ name: `step ${row.value}`, value: '' })
                .execute();
              return counters.advance(tx, row, undefined);
            },
          });
          const started = worker({ count: handler }, { storage: own, replica: name, leaseMs: LEASE_MS });
          started.start();
          workers.push(started);
          return name;
        };
        let current = startProcess();
        const over = async () => {
          if (dead.has(current)) current = startProcess();
          const [job] = await jobs();
          const held = job && job.lease_owner !== null && !dead.has(job.lease_owner.split(':')[0] ?? '');
          if (job && !held) pass(Math.max(0, job.run_at - clock.now));
          return job === undefined;
        };
        await until(over, { describe: 'the end of the job', every: 2 });
        await Promise.all(workers.map((worker) => worker.stop({ withinMs: 0 })));
        const rows = await storage.reader.db.selectFrom('settings').selectAll().orderBy('name').execute();
        expect(rows.map(({ name, value }) => name + value)).toEqual(['a3', 'step 0', 'step 1', 'step 2']);
      });
      await fc.assert(property, { numRuns: 15 });
    });

    it('retries an error with backoff and without what the step wrote', async () => {
      const { clock, create, start, value, settled, counters, pass } = await openCounters(engine);
      let broken = true;
      const worker = start({
        async advance(tx, row) {
          const next = await counters.advance(tx, row, undefined);
          if (broken) throw new Error('no connection');
          return next;
        },
        fail: () => expect.fail('only a Problem is permanent'),
      });
      await create();
      const failed = await settled(1);
      expect(failed).toMatchObject({ dead: 0, last_error: 'Error' });
      expect(failed?.run_at).toBeGreaterThan(clock.now);
      expect(await value()).toBe('0');
      broken = false;
      pass(1_000);
      await until(async () => (await value()) === '1', { describe: 'the step' });
      expect(await settled(0)).toMatchObject({ last_error: null });
      await worker.stop();
    });

    it.each(['prepare', 'advance'] as const)('ends the row with the message of a Problem in %s', async (part) => {
      const { create, start, value, none } = await openCounters(engine);
      const worker = start({
        async [part](tx: Tx, row: Counter) {
          if (part === 'advance') await write(tx, row, 'half a step');
          throw new Problem('VALIDATION_ERROR', 'no room');
        },
        async fail(tx, row, { message }) {
          await write(tx, row, `${row.value}: ${message}`);
          return undefined;
        },
      });
      await create();
      await none();
      await worker.stop();
      expect(await value()).toBe('0: no room');
    });

    it('retries a Problem that the row does not end with', async () => {
      const { create, start, value, settled } = await openCounters(engine);
      const advance = async () => {
        throw new Problem('VALIDATION_ERROR', 'no room');
      };
      const worker = start({
        advance,
        async fail(tx, row, problem) {
          await write(tx, row, 'failed');
          throw problem;
        },
      });
      await create();
      expect(await settled(1)).toMatchObject({ dead: 0, last_error: 'no room' });
      await worker.stop();
      expect(await value()).toBe('0');
    });

    it('runs once more if it is woken while it runs', async () => {
      const { storage, create, start, value, jobs } = await openCounters(engine);
      const gate = new Gate();
      const worker = start({ prepare: () => gate.pass() });
      await create();
      await until(() => gate.waiting, { describe: 'the first run' });
      await storage.write((tx) => wake(tx, 'a'));
      gate.open();
      await until(() => gate.waiting, { describe: 'the second run' });
      expect(await value()).toBe('1');
      gate.open();
      await until(async () => (await jobs())[0]?.lease_owner === null, { describe: 'its end' });
      expect(await value()).toBe('2');
      await worker.stop();
    });

    it('ends without a step if the row is gone or over', async () => {
      const { storage, start, none, value } = await openCounters(engine);
      const prepared: string[] = [];
      const worker = start({ prepare: async (id) => void prepared.push(id) });
      await storage.write(async (tx) => {
        await tx.db.insertInto('settings').values({ name: 'over', value: '3' }).execute();
        await wake(tx, 'over');
        await wake(tx, 'gone');
      });
      await none();
      await worker.stop();
      expect(prepared.sort()).toEqual(['gone', 'over']);
      expect([await value('over'), await value('gone')]).toEqual(['3', undefined]);
    });
  });
});
