import type { Journal } from '../journal/journal.ts';
import { journalTrouble } from '../journal/journal-trouble.ts';
import type { Log } from '../log.ts';
import { type ActionOutcome, type ActionRequest, cancelled, failure } from './action.ts';
import type { Runner } from './runner.ts';

export interface LedgerOptions {
  journal: Journal;
  log: Log;
  /** Told when an execution began, and when its outcome is in the journal. */
  onStarted(id: string): void;
  onFinished(id: string): void;
  /** The same of one whose outcome the journal has no room for. */
  onUnkept(id: string, outcome: ActionOutcome): void;
}

/** Thrown instead of beginning what was called off. */
class CalledOff extends Error {}

/** What is written of executions before they begin and when they have ended, who hears of it, and which are called off. */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #calledOff = new Set<string>();

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** What has not begun never does; what is beginning is ended by whoever began it, as soon as there is something to end. */
  callOff(id: string): void {
    this.#calledOff.add(id);
  }

  isCalledOff(id: string): boolean {
    return this.#calledOff.has(id);
  }

  /** Nothing more will happen to it in this life of the daemon. */
  close(id: string): void {
    this.#calledOff.delete(id);
  }

  start(request: ActionRequest, runner: Runner): void {
    const { journal, onStarted } = this.#options;
    const id = request.execution_id;
    if (this.isCalledOff(id) && journal.executions.find(id)?.phase !== 'started') throw new CalledOff();
    journal.executions.start(request, runner, Date.now());
    onStarted(id);
  }

  /** It was not carried out. */
  refuse(request: ActionRequest, reason: Error): void {
    const { journal, log } = this.#options;
    const id = request.execution_id;
    const outcome =
      reason instanceof CalledOff ? cancelled() : failure(journalTrouble(reason, journal.directory) ?? reason.message);
    log.warn('an action was not carried out', { execution: id, reason: outcome.error });
    this.keep(id, outcome, () => journal.executions.receive(request, Date.now()));
  }

  finish(id: string, outcome: ActionOutcome): void {
    this.keep(id, outcome);
  }

  /** False where the journal has no room for it. Whoever ordered it hears of it in any case. */
  keep(id: string, outcome: ActionOutcome, before = () => {}): boolean {
    const { journal, log, onFinished, onUnkept } = this.#options;
    try {
      before();
      journal.executions.finish(id, outcome, Date.now());
    } catch (error) {
      log.error('the outcome of an action cannot be kept', { execution: id, error });
      onUnkept(id, outcome);
      return false;
    }
    onFinished(id);
    return true;
  }
}
