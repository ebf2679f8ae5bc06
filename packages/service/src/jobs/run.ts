import { span } from '@hortus/tracing/span';
import type { Logger } from 'pino';
import type { Storage, Tx } from '../storage/storage.ts';
import { type Job, JobFailure, type JobKind, LeaseLost } from './job.ts';
import { fail, type Lease, release, standardAttempts, succeed } from './settle.ts';
import type { JobRow } from './store.ts';

interface RunOptions {
  readonly storage: Storage;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  readonly kind: JobKind;
  readonly row: JobRow;
  readonly owner: string;
}

/** One claimed job while its handler runs. */
export class Run {
  readonly job: Job;
  readonly owner: string;
  /** Resolves when the run has ended, with any result; never rejects. */
  readonly ended: Promise<void>;
  leasedUntil: number;
  readonly #options: RunOptions;
  readonly #lease: Lease;
  readonly #interruption = new AbortController();

  constructor(options: RunOptions) {
    const { row, owner } = options;
    this.#options = options;
    this.job = { id: row.id, kind: row.kind, key: row.key, payload: JSON.parse(row.payload), attempts: row.attempts };
    this.owner = owner;
    this.leasedUntil = row.run_at;
    this.#lease = { id: row.id, owner };
    this.ended = this.#perform();
  }

  interrupt(): void {
    this.#interruption.abort();
  }

  /** Releases the job at once instead of at the end of the lease. */
  async giveBack(): Promise<void> {
    await this.#write((tx) => release(tx, this.#lease));
  }

  async #perform(): Promise<void> {
    const { storage, kind } = this.#options;
    const { signal } = this.#interruption;
    try {
      if (this.job.attempts > (kind.maxAttempts ?? standardAttempts)) {
        throw new JobFailure('Each attempt ended because its process stopped before the job was done.');
      }
      const { id, kind: name, attempts } = this.job;
      const attributes = { 'hortus.job_id': id, 'hortus.job_attempts': attempts };
      await span(`job ${name}`, { parent: null, attributes }, async () => {
        const response = await kind.run({
          job: this.job,
          signal,
          complete: async (tx, input = 'done') => {
            await succeed(tx, this.#lease, kind, input);
            return 'settled';
          },
        });
        if (response !== 'settled') await storage.write((tx) => succeed(tx, this.#lease, kind, response));
      });
    } catch (error) {
      if (signal.aborted) await this.giveBack();
      else await this.#fail(error);
    }
  }

  async #fail(error: unknown): Promise<void> {
    const { kind, log } = this.#options;
    const about = { err: error, job: this.job.id, kind: this.job.kind, attempts: this.job.attempts };
    if (error instanceof LeaseLost) {
      log.warn(about, 'a running job was claimed by another worker');
      return;
    }
    const dead = await this.#write((tx) => fail(tx, this.#lease, kind, error));
    if (dead) log.error(about, 'a job has failed permanently');
    else log.warn(about, 'a job failed');
  }

  /** A failed write resolves itself: the lease expires and the job is claimed again. */
  async #write<T>(work: (tx: Tx) => Promise<T>): Promise<T | undefined> {
    try {
      return await this.#options.storage.write(work);
    } catch (error) {
      const { id: job, kind } = this.job;
      this.#options.log.warn({ err: error, job, kind }, 'recording the result of a job failed');
      return undefined;
    }
  }
}
