import { until } from '@hortus/testkit/until';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openLocalBus } from '../bus/local-bus.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import { onBothEngines } from '../testing/engines.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import { enqueue } from './enqueue.ts';
import type { JobKind } from './job.ts';
import { JobWorker } from './worker.ts';

/** What happens to the nth run of a job. */
const fate = fc.oneof(
  { weight: 4, arbitrary: fc.constant('works' as const) },
  { weight: 1, arbitrary: fc.constant('throws' as const) },
  { weight: 1, arbitrary: fc.constant('fails after its effect' as const) },
  { weight: 2, arbitrary: fc.constant('process dies before the effect' as const) },
  { weight: 2, arbitrary: fc.constant('process dies after the effect' as const) },
);
type Fate = typeof fate extends fc.Arbitrary<infer F> ? F : never;

const MAX_ATTEMPTS = 3;
const LEASE_MS = 10_000;

/** A process's view of the storage: when it dies, nothing it says reaches the database any more. */
function mortal(storage: Storage): { storage: Storage; die(): Promise<never>; readonly dead: boolean } {
  const life = { dead: false };
  const silence = new Promise<never>(() => {});
  return {
    storage: {
      ...storage,
      write: (work) => (life.dead ? silence : storage.write(work)),
    },
    die: () => {
      life.dead = true;
      return silence;
    },
    get dead() {
      return life.dead;
    },
  };
}

onBothEngines((engine) => {
  it('has each effect once, whoever dies, and sets aside what never works', async () => {
    const clock = { now: 1_700_000_000_000 };
    const storage = await engine.open({ clock: () => clock.now });
    const bus = openLocalBus({ log: new QuietLog() });

    const property = fc.asyncProperty(
      fc.array(fc.array(fate, { minLength: MAX_ATTEMPTS, maxLength: MAX_ATTEMPTS }), { minLength: 1, maxLength: 6 }),
      async (fates) => {
        const run = await storage.write(async (tx) => {
          await tx.db.deleteFrom('jobs').execute();
          await tx.db.deleteFrom('settings').execute();
          for (const index of fates.keys()) await enqueue(tx, { kind: 'effect', payload: { index } });
        });
        expect(run).toBeUndefined();
        await workUntilOver(fates);
        const jobs = await storage.reader.db.selectFrom('jobs').selectAll().execute();
        const effects = await storage.reader.db.selectFrom('settings').select(['name', 'value']).execute();
        for (const [index, plan] of fates.entries()) {
          const works = plan.findIndex((one) => one === 'works' || one === 'process dies after the effect');
          const effect = effects.filter((row) => row.name === `effect ${index}`);
          const letter = jobs.find((job) => JSON.parse(job.payload).index === index);
          if (works >= 0) {
            expect(effect).toEqual([{ name: `effect ${index}`, value: String(works + 1) }]);
            expect(letter).toBeUndefined();
          } else {
            expect(effect).toEqual([]);
            expect(letter).toMatchObject({ dead: 1, lease_owner: null });
          }
        }
        expect(effects.length + jobs.length).toBe(fates.length);
      },
    );

    /** Always two processes at work; one that dies is replaced, and time passes when nothing else happens. */
    async function workUntilOver(fates: readonly (readonly Fate[])[]): Promise<void> {
      const holders = new Map<number, { until: number }>();
      const begin = () => {
        const process = mortal(storage);
        const worker = new JobWorker({
          storage: process.storage,
          bus,
          handlers: { effect: effectKind(process, fates, holders, clock) },
          log: new QuietLog(),
          replica: 'p',
          leaseMs: LEASE_MS,
          sweepMs: 5,
          clock: () => clock.now,
        });
        worker.start();
        return { process, worker };
      };
      let living = [begin(), begin()];
      const fallen: typeof living = [];
      await until(
        async () => {
          fallen.push(...living.filter(({ process }) => process.dead));
          living = living.map((one) => (one.process.dead ? begin() : one));
          clock.now += 1_000;
          const open = await storage.reader.db.selectFrom('jobs').select('id').where('dead', '=', 0).execute();
          return open.length === 0;
        },
        { describe: 'the end of all jobs', within: 20_000, every: 3 },
      );
      // The dead have handlers that never end, so they are not waited for.
      await Promise.all(living.map(({ worker }) => worker.stop({ withinMs: 1_000 })));
      await Promise.all(fallen.map(({ worker }) => Promise.race([worker.stop({ withinMs: 0 }), Promise.resolve()])));
    }

    await fc.assert(property, { numRuns: 20 });
  });
});

function effectKind(
  process: ReturnType<typeof mortal>,
  fates: readonly (readonly Fate[])[],
  holders: Map<number, { until: number }>,
  clock: { now: number },
): JobKind {
  return {
    maxAttempts: MAX_ATTEMPTS,
    concurrency: 2,
    run: async ({ job, complete }) => {
      const { index } = job.payload as { index: number };
      // Nobody begins a job that another holds and may still be working on.
      expect(holders.get(index)?.until ?? 0).toBeLessThanOrEqual(clock.now);
      holders.set(index, { until: clock.now });
      const effect = async (tx: Tx) => {
        await tx.db
          .insertInto('settings')
          .values({ name: `effect ${index}`, value: String(job.attempts) })
          .execute();
        return await complete(tx);
      };
      switch (fates[index]?.[job.attempts - 1]) {
        case 'throws':
          throw new Error('no');
        case 'fails after its effect':
          return await process.storage.write(async (tx) => {
            await effect(tx);
            throw new Error('no');
          });
        case 'process dies before the effect':
          holders.set(index, { until: clock.now + 1 });
          return await process.die();
        case 'process dies after the effect':
          await process.storage.write(effect);
          return await process.die();
        default:
          return await process.storage.write(effect);
      }
    },
  };
}
