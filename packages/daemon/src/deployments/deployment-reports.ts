import { RetryLater } from '../concurrency/retry-later.ts';
import type { Journal } from '../journal/journal.ts';
import type { RolloutResult } from '../journal/rollout-result.ts';
import { isDeposed, isRefusal, type Service } from '../link/service.ts';
import type { Log } from '../log.ts';
import type { LogBatch } from './deployment-log.ts';

/** Lines without a position may only be sent with the result, which is accepted once. */
type LastLines = Pick<LogBatch, 'logs'> & Partial<LogBatch>;

interface Options {
  journal: Journal;
  service: Service;
  log: Log;
}

/** Reports results of deployments until the service has accepted them. */
export class DeploymentReports {
  readonly #options: Options;
  readonly #retry: RetryLater;
  /** Last log lines; they are not journalled, and are sent with the result if this process lives. */
  readonly #lines = new Map<string, LastLines>();
  /** Results that the journal could not store. */
  readonly #unkept = new Map<string, RolloutResult>();
  readonly #sending = new Set<string>();

  constructor(options: Options) {
    this.#options = options;
    this.#retry = new RetryLater(() => this.settle(), options.log);
  }

  report(id: string, lines?: LastLines): void {
    if (lines) this.#lines.set(id, lines);
    if (!this.#sending.has(id)) void this.#send(id);
  }

  /** Reports a result that is not in the journal. */
  reportUnkept(id: string, result: RolloutResult, lines?: LastLines): void {
    this.#unkept.set(id, result);
    this.report(id, lines);
  }

  settle(): void {
    for (const { id } of this.#options.journal.deployments.unreported()) this.report(id);
    for (const id of this.#unkept.keys()) this.report(id);
  }

  stop(): void {
    this.#retry.stop();
  }

  async #send(id: string): Promise<void> {
    const { journal, log } = this.#options;
    const result = journal.deployments.find(id)?.result ?? this.#unkept.get(id);
    if (result === undefined) return;
    this.#sending.add(id);
    try {
      await this.#post(id, result).catch((error) => {
        if (!isRefusal(error)) throw error;
        // The service has ended it otherwise or no longer knows it; a retry would not help.
        log.warn({ deployment: id, err: error }, 'the service rejected the result of a deployment');
      });
      this.#unkept.delete(id);
      journal.deployments.reported(id);
      this.#retry.succeeded();
      this.#lines.delete(id);
    } catch (error) {
      // The next leader continues the deployment; `settle` reports this result again if this member leads before that.
      if (!isDeposed(error)) this.#retry.failed();
    } finally {
      this.#sending.delete(id);
    }
  }

  async #post(
    id: string,
    { status, error, reason, instance, images, components, gap_ms, last_lines }: RolloutResult,
  ): Promise<void> {
    const { journal, service } = this.#options;
    const { instanceUid: uid, claim = null, rollbackOf, revision } = journal.deployments.find(id) ?? {};
    const { data } = await service.call('deployments.report', {
      body: {
        deployment_id: id,
        status,
        claim,
        ...(error === undefined ? {} : { error: error.slice(0, 8_192) }),
        ...(reason === undefined ? {} : { reason: reason.slice(0, 64) }),
        ...(instance === undefined ? {} : { instance }),
        ...(images === undefined ? {} : { images }),
        // A failed deployment does not say what runs; the observer does.
        ...(status === 'success' && components.length > 0 ? { components } : {}),
        ...(gap_ms === undefined ? {} : { gap_ms }),
        ...(last_lines === undefined ? {} : { last_lines: last_lines.slice(-30).map((line) => line.slice(0, 1_000)) }),
        // A rollback by the daemon names the deployment that it undid.
        ...(rollbackOf === undefined || revision === undefined
          ? {}
          : { rollback_of: rollbackOf, revision, reason: reason ?? 'unhealthy' }),
        ...this.#lines.get(id),
      },
    });
    if (uid !== undefined && data.instance_id !== null) journal.manifests.nameInstance(uid, data.instance_id);
  }
}
