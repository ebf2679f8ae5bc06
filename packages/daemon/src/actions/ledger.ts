import { type ActionOutcome, type ActionRequest, cancelled, failure } from '../journal/action.ts';
import type { Journal } from '../journal/journal.ts';
import { journalTrouble } from '../journal/journal-trouble.ts';
import type { Runner } from '../journal/runner.ts';
import type { Log } from '../log.ts';

export interface LedgerOptions {
  journal: Journal;
  log: Log;
  /** Called when an execution starts, and when its outcome is journalled. */
  onStarted(request: ActionRequest): void;
  onFinished(id: string): void;
  /** Called instead if the journal could not store the outcome. */
  onUnkept(id: string, outcome: ActionOutcome): void;
}

/** Thrown instead of starting a cancelled execution. */
class CalledOff extends Error {}

/** Records starts and outcomes of executions, notifies listeners, and tracks cancellations. */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #calledOff = new Set<string>();

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** Cancels an execution: it never starts, or is ended by its runner as soon as there is something to end. */
  callOff(id: string): void {
    this.#calledOff.add(id);
  }

  isCalledOff(id: string): boolean {
    return this.#calledOff.has(id);
  }

  /** Forgets an execution that has ended. */
  close(id: string): void {
    this.#calledOff.delete(id);
  }

  start(request: ActionRequest, runner: Runner): void {
    const { journal, onStarted } = this.#options;
    const id = request.execution_id;
    if (this.isCalledOff(id) && journal.executions.find(id)?.phase !== 'started') throw new CalledOff();
    journal.executions.start(request, runner, Date.now());
    onStarted(request);
  }

  /** Records that an execution was not run. */
  refuse(request: ActionRequest, reason: Error): void {
    const { journal, log } = this.#options;
    const id = request.execution_id;
    const outcome =
      reason instanceof CalledOff ? cancelled() : failure(journalTrouble(reason, journal.directory) ?? reason.message);
    log.warn({ execution: id, reason: outcome.error }, 'an action was not run');
    this.keep(id, outcome, () => journal.executions.receive(request, Date.now()));
  }

  finish(id: string, outcome: ActionOutcome): void {
    this.keep(id, outcome);
  }

  /** Stores an outcome; returns false if the journal could not. The service is notified in any case. */
  keep(id: string, outcome: ActionOutcome, before = () => {}): boolean {
    const { journal, log, onFinished, onUnkept } = this.#options;
    try {
      before();
      journal.executions.finish(id, outcome, Date.now());
    } catch (error) {
      log.error({ execution: id, err: error }, 'the outcome of an action could not be stored');
      onUnkept(id, outcome);
      return false;
    }
    onFinished(id);
    return true;
  }
}
