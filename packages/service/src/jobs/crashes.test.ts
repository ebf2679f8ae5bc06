import { until } from '@hortus/testkit/until';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openLocalBus } from '../bus/local-bus.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import { onDifferingEngines } from '../testing/engines.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import { enqueue } from './enqueue.ts';
import type { JobRun, Settled } from './job.ts';
import { JobWorker } from './worker.ts';

/** What happens to a run of a job. */
const decision = fc.constantFrom(
  'works' as const,
  'throws' as const,
  'fails after its effect' as const,
  'process dies before the effect' as const,
  'process dies after the effect' as const,
);
type UnitDecision = typeof decision extends fc.Arbitrary<infer F> ? F : never;

const MAX_ATTEMPTS = 3;
const LEASE_MS = 10_000;

/** Processes that work on the jobs of one storage, and now and then die with what they hold. */
class Village {
  readonly clock = { now: 1_700_000_000_000 };
  /** Runs that began before the lease of the one before them was over. */
  readonly violations: string[] = [];
  readonly #bus = openLocalBus({ log: new QuietLog() });
  readonly #dead = new Set<string>();
  readonly #leasedUntil = new Map<number, number>();
  readonly #workers: JobWorker[] = [];
  #born = 0;

  /** Works until nothing is left to do. The clock jumps when all wait for it, so no living process loses its lease. */
  async work(storage: Storage, decisions: readonly (readonly UnitDecision[])[]): Promise<void> {
    this.#leasedUntil.clear();
    let living = [this.#start(storage, decisions), this.#start(storage, decisions)];
    const over = async () => {
      living = living.map((name) => (this.#dead.has(name) ? this.#start(storage, decisions) : name));
      const open = await storage.reader.db.selectFrom('jobs').selectAll().where('dead', '=', 0).execute();
      const held = open.some((job) => job.lease_owner !== null && !this.#dead.has(job.lease_owner.split(':')[0] ?? ''));
      const next = Math.min(...open.map((job) => job.run_at));
      if (!held && open.length > 0) this.clock.now = Math.max(this.clock.now, next);
      this.#bus.publish('jobs');
      return open.length === 0;
    };
    await until(over, { describe: 'the end of all jobs', every: 2 });
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop({ withinMs: 0 })));
  }

  #start(storage: Storage, decisions: readonly (readonly UnitDecision[])[]): string {
    const name = `process${++this.#born}`;
    const own: Storage = {
      ...storage,
      // Nothing that the dead say reaches the database.
      write: (work) => (this.#dead.has(name) ? Promise.reject(new Error('dead')) : storage.write(work)),
    };
    const worker = new JobWorker({
      storage: own,
      bus: this.#bus,
      replica: name,
      log: new QuietLog(),
      clock: () => this.clock.now,
      leaseMs: LEASE_MS,
      handlers: {
        effect: { maxAttempts: MAX_ATTEMPTS, concurrency: 1, run: (run) => this.#run(own, name, run, decisions) },
      },
    });
    worker.start();
    this.#workers.push(worker);
    return name;
  }

  async #run(
    storage: Storage,
    name: string,
    run: JobRun,
    decisions: readonly (readonly UnitDecision[])[],
  ): Promise<Settled> {
    const { index } = run.job.payload as { index: number };
    if (this.clock.now < (this.#leasedUntil.get(index) ?? 0)) this.violations.push(run.job.id);
    const effect = async (tx: Tx) => {
      const effectName = `effect ${index} of run ${run.job.attempts}`;
      await tx.db.insertInto('settings').values({ name: effectName, value: '' }).execute();
      return await run.complete(tx);
    };
    const die = () => {
      this.#leasedUntil.set(index, this.clock.now + LEASE_MS);
      this.#dead.add(name);
      return interruption(run.signal);
    };
    switch (decisions[index]?.[run.job.attempts - 1]) {
      case 'throws':
        throw new Error('no');
      case 'fails after its effect':
        return await storage.write(async (tx) => {
          await effect(tx);
          throw new Error('no');
        });
      case 'process dies before the effect':
        return await die();
      case 'process dies after the effect':
        await storage.write(effect);
        return await die();
      default:
        return await storage.write(effect);
    }
  }
}

/** Where a dead process hangs until the test clears up. */
const interruption = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

onDifferingEngines('leases of jobs', (engine) => {
  it('each job takes effect once despite crashes, and one that always fails becomes a dead letter', async () => {
    const village = new Village();
    const storage = await engine.open({ clock: () => village.clock.now });
    const plans = fc.array(fc.array(decision, { minLength: MAX_ATTEMPTS, maxLength: MAX_ATTEMPTS }), {
      minLength: 1,
      maxLength: 6,
    });
    const property = fc.asyncProperty(plans, async (decisions) => {
      await storage.write(async (tx) => {
        await tx.db.deleteFrom('jobs').execute();
        await tx.db.deleteFrom('settings').execute();
        for (const index of decisions.keys()) await enqueue(tx, { kind: 'effect', payload: { index } });
      });
      await village.work(storage, decisions);
      const effects = await storage.reader.db.selectFrom('settings').select('name').execute();
      const letters = await storage.reader.db.selectFrom('jobs').selectAll().execute();
      const outcome = decisions.map((_, index) => ({
        effects: effects.map((row) => row.name).filter((name) => name.startsWith(`effect ${index} `)),
        dead: letters.filter((job) => JSON.parse(job.payload).index === index).map((job) => job.dead),
      }));
      expect(outcome).toEqual(
        decisions.map((plan, index) => {
          const works = plan.findIndex((item) => item === 'works' || item === 'process dies after the effect');
          return works < 0
            ? { effects: [], dead: [1] }
            : { effects: [`effect ${index} of run ${works + 1}`], dead: [] };
        }),
      );
      expect(village.violations).toEqual([]);
    });
    await fc.assert(property, { numRuns: 30 });
  });
});
