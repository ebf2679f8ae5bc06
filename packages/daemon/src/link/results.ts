import { ApiProblem } from '@hortus/client/problem';
import { RetryLater } from '../concurrency/retry-later.ts';
import { guarded } from '../guard.ts';
import type { ActionOutcome, ActionRequest } from '../journal/action.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import type { Channel } from './channel.ts';
import { isDeposed, isRefusal, type Service } from './service.ts';

export interface ResultsOptions {
  journal: Journal;
  service: Service;
  channel: Pick<Channel, 'offers' | 'send'>;
  log: Log;
  /** Time to wait for an acknowledgement over the channel before using REST. */
  acknowledgeWithinMs?: number;
  backoff?: { firstMs: number; maxMs: number };
}

/** Larger results go by REST, to keep the channel responsive. */
const LARGE = 256 * 1024;
/** Length of an output that the service rejected as too long. */
const SHORTENED = 64 * 1024;

/** Reports outcomes of executions until the service has acknowledged them. */
export class Results {
  readonly #options: ResultsOptions;
  readonly #retry: RetryLater;
  readonly #awaited = new Map<string, NodeJS.Timeout>();
  /** Outcomes that the journal could not store. */
  readonly #unkept = new Map<string, ActionOutcome>();
  readonly #sending = new Set<string>();

  constructor(options: ResultsOptions) {
    this.#options = options;
    this.#retry = new RetryLater(() => this.settle(), options.log, options.backoff);
  }

  /** Reports a start, best effort: the result implies it. */
  started({ execution_id, scheduled }: Pick<ActionRequest, 'execution_id' | 'scheduled'>): void {
    // The service does not wait for the start of scheduled runs.
    if (scheduled === undefined) this.#options.channel.send({ type: 'action_started', execution_id });
  }

  finished(id: string): void {
    const { outcome = this.#unkept.get(id), request } = this.#options.journal.executions.find(id) ?? {};
    if (outcome === undefined || this.#sending.has(id) || this.#awaited.has(id)) return;
    // Scheduled runs were not ordered over the channel and are reported by REST.
    if (request?.scheduled || !this.#sendByChannel(id, outcome)) void this.#sendByRest(id, outcome);
  }

  /** Reports an outcome that is not in the journal. */
  finishedUnkept(id: string, outcome: ActionOutcome): void {
    this.#unkept.set(id, outcome);
    this.finished(id);
  }

  /** Records the acknowledgement of the service. */
  recorded(id: string): void {
    const { journal, log } = this.#options;
    clearTimeout(this.#awaited.get(id));
    this.#awaited.delete(id);
    this.#unkept.delete(id);
    try {
      journal.executions.reported(id);
    } catch (error) {
      // It will be reported again, which is harmless.
      log.warn({ execution: id, err: error }, 'the acknowledgement of a result could not be stored');
    }
  }

  /** Reports all unacknowledged outcomes; called after every start and reconnect. */
  settle(): void {
    for (const { id } of this.#options.journal.executions.unreported()) this.finished(id);
    for (const id of this.#unkept.keys()) this.finished(id);
  }

  stop(): void {
    this.#retry.stop();
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
      this.#retry.succeeded();
    } catch (error) {
      const deposed = isDeposed(error);
      if (isRefusal(error) || (deposed && !this.#isScheduled(id))) {
        // The service has ended it otherwise or no longer knows it; a retry would not help.
        log.warn({ execution: id, err: error }, 'the service rejected the result of an action');
        this.recorded(id);
      } else if (deposed) {
        // The service does not know of a scheduled run before it is reported: `settle` does so when this member leads again.
        log.debug({ execution: id }, 'the result of a scheduled run waits until this member leads');
      } else {
        log.debug({ execution: id, err: error }, 'the result of an action could not be reported yet');
        this.#retry.failed();
      }
    } finally {
      this.#sending.delete(id);
    }
  }

  #isScheduled(id: string): boolean {
    return this.#options.journal.executions.find(id)?.request.scheduled !== undefined;
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
}
