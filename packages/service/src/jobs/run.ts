import type { Logger } from 'pino';
import type { Storage } from '../storage/storage.ts';
import { type Job, JobFailure, type JobKind, LeaseLost, type Settled } from './job.ts';
import { fail, type Lease, release, standardAttempts, succeed } from './settle.ts';
import type { JobRow } from './store.ts';

interface RunOptions {
  readonly storage: Storage;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  readonly kind: JobKind;
  readonly row: JobRow;
  readonly owner: string;
}

const settled: Settled = { settled: true };

/** One claimed job on its way through its handler. */
export class Run {
  readonly job: Job;
  readonly owner: string;
  /** Resolves when nothing more happens here, however it went; never rejects. */
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

  /** Lets others have it at once instead of at the end of the lease. */
  giveBack(): Promise<void> {
    return this.#settle(async (tx) => void (await release(tx, this.#lease)));
  }

  async #perform(): Promise<void> {
    const { storage, kind } = this.#options;
    const { signal } = this.#interruption;
    try {
      if (this.job.attempts > (kind.maxAttempts ?? standardAttempts)) {
        throw new JobFailure('The process that worked on it ended each time before it was done.');
      }
      const answer = await kind.run({
        job: this.job,
        signal,
        complete: async (tx, given = 'done') => {
          await succeed(tx, this.#lease, kind, given);
          return settled;
        },
      });
      if (answer === settled || (typeof answer === 'object' && 'settled' in answer)) return;
      await storage.write((tx) => succeed(tx, this.#lease, kind, answer));
    } catch (error) {
      if (signal.aborted) await this.giveBack();
      else await this.#fail(error);
    }
  }

  async #fail(error: unknown): Promise<void> {
    const { kind, log } = this.#options;
    const about = { err: error, job: this.job.id, kind: this.job.kind, attempts: this.job.attempts };
    if (error instanceof LeaseLost) {
      log.warn(about, 'a job went to another worker while it was running');
      return;
    }
    await this.#settle(async (tx) => {
      const dead = await fail(tx, this.#lease, kind, error);
      return dead ? () => log.error(about, 'a job has failed for the last time') : () => log.warn(about, 'a job failed');
    });
  }

  /** What cannot be written now comes right by itself: the lease runs out and the job is claimed again. */
  async #settle(work: (tx: Parameters<Parameters<Storage['write']>[0]>[0]) => Promise<(() => void) | void>) {
    try {
      (await this.#options.storage.write(work))?.();
    } catch (error) {
      const { id: job, kind } = this.job;
      this.#options.log.warn({ err: error, job, kind }, 'how a job ended could not be written');
    }
  }
}
