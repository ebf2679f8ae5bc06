import { ApiProblem } from '@hortus/client/problem';
import type { ActionOutcome } from '../actions/action.ts';
import { guarded } from '../guard.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import { Backoff } from './backoff.ts';
import type { Channel } from './channel.ts';
import { isRefusal, type Service } from './service.ts';

export interface ResultsOptions {
  journal: Journal;
  service: Service;
  channel: Pick<Channel, 'offers' | 'send'>;
  log: Log;
  /** How long an acknowledgement over the channel is waited for before the result goes by REST. */
  acknowledgeWithinMs?: number;
  backoff?: { firstMs: number; mostMs: number };
}

/** Above this a result goes by REST, which takes large bodies; the channel should stay quick for everybody. */
const LARGE = 256 * 1024;
/** What is left of an output whose full length the service does not take. */
const SHORTENED = 64 * 1024;

/** Brings the outcomes of executions to the service. One is owed until the service has said that it has it. */
export class Results {
  readonly #options: ResultsOptions;
  readonly #backoff: Backoff;
  readonly #awaited = new Map<string, NodeJS.Timeout>();
  /** Outcomes that the journal had no room for. */
  readonly #unkept = new Map<string, ActionOutcome>();
  readonly #sending = new Set<string>();
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: ResultsOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.backoff ?? { firstMs: 1_000, mostMs: 60_000 });
  }

  /** A courtesy: if it gets lost, the result says that it began. */
  started(id: string): void {
    // Of what nobody ordered nobody waits to hear that it began.
    if (this.#options.journal.executions.find(id)?.request.scheduled) return;
    this.#options.channel.send({ type: 'action_started', execution_id: id });
  }

  finished(id: string): void {
    const { outcome = this.#unkept.get(id), request } = this.#options.journal.executions.find(id) ?? {};
    if (outcome === undefined || this.#sending.has(id) || this.#awaited.has(id)) return;
    // The channel is for results of what was ordered over it.
    if (request?.scheduled || !this.#sendByChannel(id, outcome)) void this.#sendByRest(id, outcome);
  }

  /** One that only this process knows of. */
  finishedUnkept(id: string, outcome: ActionOutcome): void {
    this.#unkept.set(id, outcome);
    this.finished(id);
  }

  /** The service has it. */
  recorded(id: string): void {
    const { journal, log } = this.#options;
    clearTimeout(this.#awaited.get(id));
    this.#awaited.delete(id);
    this.#unkept.delete(id);
    try {
      journal.executions.reported(id);
    } catch (error) {
      // It is told again by and by, and the service has nothing against that.
      log.warn('that a result is recorded could not be noted', { execution: id, error });
    }
  }

  /** Sends whatever is still owed; after every connection, and after every start. */
  settle(): void {
    for (const { id } of this.#options.journal.executions.unreported()) this.finished(id);
    for (const id of this.#unkept.keys()) this.finished(id);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
    for (const timer of this.#awaited.values()) clearTimeout(timer);
  }

  #sendByChannel(id: string, outcome: ActionOutcome): boolean {
    const { channel } = this.#options;
    if (!channel.offers('ack') || outcome.output.length > LARGE) return false;
    const { status, ...rest } = outcome;
    if (
      !channel.send({ type: status === 'completed' ? 'action_completed' : 'action_failed', execution_id: id, ...rest })
    )
      return false;
    const unanswered = () => {
      this.#awaited.delete(id);
      return this.#sendByRest(id, outcome);
    };
    const { log, acknowledgeWithinMs = 10_000 } = this.#options;
    const timer = setTimeout(guarded(log, unanswered), acknowledgeWithinMs);
    this.#awaited.set(id, timer);
    return true;
  }

  async #sendByRest(id: string, outcome: ActionOutcome): Promise<void> {
    const { log } = this.#options;
    this.#sending.add(id);
    try {
      await this.#put(id, outcome);
      this.recorded(id);
      this.#backoff.reset();
    } catch (error) {
      if (isRefusal(error)) {
        // The service has ended it otherwise, or no longer knows it; it will not change its mind.
        log.warn('the service does not take the result of an action', { execution: id, error });
        this.recorded(id);
      } else {
        log.debug('the result of an action could not be reported yet', { execution: id, error });
        this.#retryLater();
      }
    } finally {
      this.#sending.delete(id);
    }
  }

  async #put(id: string, outcome: ActionOutcome): Promise<void> {
    const { service, journal } = this.#options;
    const { request, receivedAt } = journal.executions.find(id) ?? {};
    const run = request?.scheduled;
    const call = (body: ActionOutcome): Promise<unknown> =>
      run === undefined || request === undefined
        ? service.call('actions.report', { params: { execution_id: id }, body })
        : service.call('actions.reportScheduled', {
            body: {
              ...body,
              ...run,
              execution_id: id,
              component: request.action.slug,
              started_at: receivedAt ?? run.due_at,
            },
          });
    try {
      await call(outcome);
    } catch (error) {
      const tooLong = error instanceof ApiProblem && (error.status === 422 || error.status === 413);
      if (!tooLong || outcome.output.length <= SHORTENED) throw error;
      await call({ ...outcome, output: outcome.output.slice(-SHORTENED), output_truncated: true });
    }
  }

  #retryLater(): void {
    if (this.#stopped || this.#retry) return;
    const again = () => {
      this.#retry = undefined;
      this.settle();
    };
    this.#retry = setTimeout(guarded(this.#options.log, again), this.#backoff.next());
  }
}
