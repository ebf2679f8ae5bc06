import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import type { Storage } from '../storage/storage.ts';
import { onDifferingEngines } from '../testing/engines.ts';
import type { JobKind } from './job.ts';
import { Gate, openJobQueue } from './testing/job-queue.ts';

onDifferingEngines('leases of jobs', (engine) => {
  describe('a lease', () => {
    it('is extended while its job runs', async () => {
      const { jobs, clock, worker, add, pass } = await openJobQueue(engine);
      const gate = new Gate();
      const item = worker({ water: { run: () => gate.pass().then(() => 'done') } }, { leaseMs: 60 });
      item.start();
      await add();
      await until(async () => (await jobs())[0]?.lease_owner?.startsWith('a:'), { describe: 'the claim' });
      pass(50);
      await until(async () => (await jobs())[0]?.run_at === clock.now + 60, { describe: 'the extension' });
      gate.open();
      await item.stop();
      expect(await jobs()).toEqual([]);
    });

    it('that expired passes the job to another worker, and later writes of the first are rolled back', async () => {
      const { storage, clock, worker, add, none } = await openJobQueue(engine);
      const gate = new Gate();
      const effect = (name: string): JobKind => ({
        // One at once: the first worker has no place left to claim its own job again.
        concurrency: 1,
        run: async ({ complete }) => {
          if (name === 'a') await gate.pass();
          return await storage.write(async (tx) => {
            await tx.db.insertInto('settings').values({ name, value: '' }).execute();
            return await complete(tx);
          });
        },
      });
      const first = worker({ water: effect('a') }, { leaseMs: 600_000 });
      first.start();
      await add();
      await until(() => gate.waiting, { describe: 'the first run' });
      clock.now += 600_001;
      const second = worker({ water: effect('b') }, { replica: 'b' });
      second.start();
      await none();
      gate.open();
      await Promise.all([first.stop(), second.stop()]);
      expect(await storage.reader.db.selectFrom('settings').select('name').execute()).toEqual([{ name: 'b' }]);
    });

    it('that passed to another worker interrupts the handler', async () => {
      const { storage, worker, add } = await openJobQueue(engine);
      let interrupted = false;
      let begun = false;
      const item = worker(
        {
          water: {
            run: ({ signal }) => {
              begun = true;
              return new Promise((_, reject) =>
                signal.addEventListener('abort', () => {
                  interrupted = true;
                  reject(signal.reason);
                }),
              );
            },
          },
        },
        { leaseMs: 30 },
      );
      item.start();
      await add();
      await until(() => begun, { describe: 'the run' });
      await storage.write((tx) => tx.db.updateTable('jobs').set({ lease_owner: 'b:1' }).execute());
      await until(() => interrupted, { describe: 'the interruption' });
      await item.stop();
      const [job] = await storage.reader.db.selectFrom('jobs').selectAll().execute();
      expect(job?.lease_owner).toBe('b:1');
    });

    it('that ends while its extension waits for the database interrupts the handler', async () => {
      const { storage, clock, worker, add } = await openJobQueue(engine);
      const gate = new Gate();
      let [begun, interrupted, lost] = [false, false, false];
      const waits: Storage['write'] = async (work) => {
        if (lost) await gate.pass();
        return await storage.write(work);
      };
      const run: JobKind['run'] = ({ signal }) => {
        begun = true;
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            interrupted = true;
            reject(signal.reason);
          }),
        );
      };
      const item = worker({ water: { run } }, { leaseMs: 300, storage: { ...storage, write: waits } });
      item.start();
      await add();
      await until(() => begun, { describe: 'the run' });
      lost = true;
      await until(() => gate.waiting, { describe: 'an extension that waits' });
      clock.now += 301;
      await until(() => interrupted, { describe: 'the interruption' });
      lost = false;
      gate.open();
      await item.stop();
    });
  });

  describe('stopping', () => {
    it('waits for running jobs', async () => {
      const { jobs, worker, add } = await openJobQueue(engine);
      const gate = new Gate();
      const item = worker({ water: { run: () => gate.pass().then(() => 'done') } });
      item.start();
      await add();
      await until(() => gate.waiting, { describe: 'the run' });
      const stopping = item.stop();
      gate.open();
      await stopping;
      expect(await jobs()).toEqual([]);
    });

    it('interrupts jobs that take too long and releases them at once, without counting the attempt', async () => {
      const { jobs, clock, worker, add } = await openJobQueue(engine);
      let begun = false;
      const item = worker({
        water: {
          run: ({ signal }) => {
            begun = true;
            return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
          },
        },
      });
      item.start();
      await add();
      await until(() => begun, { describe: 'the run' });
      await item.stop({ withinMs: 1 });
      expect(await jobs()).toMatchObject([{ lease_owner: null, attempts: 0, run_at: clock.now, dead: 0 }]);
    });
  });
});
