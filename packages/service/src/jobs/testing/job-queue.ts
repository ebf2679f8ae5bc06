import { until } from '@hortus/testkit/until';
import { openLocalBus } from '../../bus/local-bus.ts';
import type { Engine } from '../../testing/engines.ts';
import { QuietLog } from '../../testing/quiet-log.ts';
import { enqueue, type NewJob } from '../enqueue.ts';
import type { JobKind } from '../job.ts';
import { JobWorker, type JobWorkerOptions } from '../worker.ts';

/** Opens a storage with jobs and a manual clock; `pass` advances it. */
export async function openJobQueue(engine: Engine) {
  const clock = { now: 1_700_000_000_000 };
  const storage = await engine.open({ clock: () => clock.now });
  const log = new QuietLog();
  const bus = openLocalBus({ log });
  storage.onCommit((notices) => {
    for (const { topic, message } of notices) bus.publish(topic, message);
  });
  const jobs = () => storage.reader.db.selectFrom('jobs').selectAll().orderBy('id').execute();
  return {
    storage,
    log,
    clock,
    jobs,
    worker: (handlers: Record<string, JobKind>, options: Partial<JobWorkerOptions> = {}) =>
      new JobWorker({ storage, bus, handlers, log, replica: 'a', clock: () => clock.now, sweepMs: 60_000, ...options }),
    add: (job: Partial<NewJob> = {}) => storage.write((tx) => enqueue(tx, { kind: 'water', payload: null, ...job })),
    pass(ms: number) {
      clock.now += ms;
      bus.publish('jobs');
    },
    none: () => until(async () => (await jobs()).length === 0, { describe: 'the end of all jobs' }),
  };
}

/** Blocks callers until the test opens it. */
export class Gate {
  readonly #waiting: (() => void)[] = [];

  get waiting(): number {
    return this.#waiting.length;
  }

  pass(): Promise<void> {
    return new Promise((done) => this.#waiting.push(done));
  }

  open(): void {
    for (const done of this.#waiting.splice(0)) done();
  }
}
