import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from '../journal/action.ts';
import type { Journal } from '../journal/journal.ts';
import type { Term } from '../link/leadership.ts';
import type { Log } from '../log.ts';
import type { Tenure } from './tenure.ts';

export interface TakeoverOptions {
  journal: Journal;
  /** Whether this daemon holds the lease. */
  leads(): boolean;
  /** Whether it does, or is about to. */
  mayLead(): boolean;
  tenure: Tenure;
  /** Reads what other leaders deployed. Rejects if the service or the Swarm does not respond. */
  catchUp(): Promise<void>;
  /** Called when this daemon may act, and knows what is current. */
  onReady(): void;
  log: Log;
  retryMs?: number;
}

/** Orders that may wait for a takeover; the service sends no more at once. */
const MAX_WAITING = 1_000;

/**
 * Prepares a member of a cluster for its leadership. If another member led since, what the journal knows is outdated: its
 * unfinished work has ended in the service or was continued by the other, so it is dropped, and manifests are read again.
 */
export class Takeover {
  readonly #options: TakeoverOptions;
  #term: Term | undefined;
  #isReady = false;
  #waiting: (() => void)[] = [];

  constructor(options: TakeoverOptions) {
    this.#options = options;
  }

  /** Whether this daemon leads and is ready to act. */
  leads(): boolean {
    return this.#isReady && this.#options.leads();
  }

  begin(term: Term): void {
    this.#term = term;
    const { journal, log, tenure } = this.#options;
    tenure.begin(term.since);
    const last = journal.lastTerm.epoch();
    if (last !== undefined && last >= term.since) {
      this.#ready(term);
      return;
    }
    if (last !== undefined) log.info('another member led since; unfinished work in the journal is dropped');
    this.#isReady = false;
    void this.#prepare(term);
  }

  lost(): void {
    this.#term = undefined;
    this.#isReady = false;
  }

  /** Drops orders that wait: on each new connection the service sends those that are still wanted. */
  reconnected(): void {
    this.#waiting = [];
  }

  /** Runs work as soon as this daemon is ready to act. Returns false if it is not about to lead, or too much waits. */
  when(work: () => void): boolean {
    if (this.leads()) this.#options.tenure.run(work);
    else if (!this.#options.mayLead() || this.#waiting.length >= MAX_WAITING) return false;
    else this.#waiting.push(work);
    return true;
  }

  async #prepare(term: Term): Promise<void> {
    const { journal, catchUp, log, retryMs = 1_000 } = this.#options;
    while (this.#term === term) {
      try {
        dropOutdated(journal);
        await catchUp();
        if (this.#term === term) this.#ready(term);
        return;
      } catch (error) {
        log.warn({ err: error }, 'the leadership could not be taken over yet; retrying');
        await sleep(retryMs, undefined, { ref: false });
      }
    }
  }

  #ready(term: Term): void {
    this.#options.journal.lastTerm.begin(term.epoch);
    this.#isReady = true;
    this.#options.tenure.run(() => {
      this.#options.onReady();
      for (const work of this.#waiting.splice(0)) work();
    });
  }
}

/** Ends what an earlier term left unfinished. None of it may run again, because the service has settled it. */
function dropOutdated(journal: Journal): void {
  const unknown = failure('Another member of the cluster took over; the result is unknown.', 'unknown');
  journal.together(() => {
    for (const { id, request } of journal.executions.unfinished()) {
      journal.executions.finish(id, unknown, Date.now());
      // The service does not know of scheduled runs before they are reported.
      if (request.scheduled === undefined) journal.executions.reported(id);
    }
    for (const { id } of journal.deployments.unfinished()) journal.deployments.drop(id);
    for (const { instanceUid } of journal.watches.all()) journal.watches.end(instanceUid);
    // Runs that were due meanwhile were those of the other leader.
    for (const schedule of journal.schedules.all()) journal.schedules.drop(schedule);
  });
}
