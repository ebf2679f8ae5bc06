import { builtIn } from '@hortus/contract/actions/built-in-actions';
import type { Deployment } from '@hortus/contract/resources/deployment-records';
import { type Principal, standInFor } from '../identity/principal.ts';
import type { JobKind } from '../jobs/job.ts';
import { type NextStep, POLL_MS, rowJob } from '../jobs/row-job.ts';
import type { Problem } from '../problem.ts';
import type { Queries, Storage, Tx } from '../storage/storage.ts';
import type { Row } from '../storage/tables.ts';
import { type OrderedWork, type WorkState, type WorkStates, workStates } from './work-state.ts';

/** What a trial needs of other resources; it acts as the user who ordered it. */
export interface TrialParts extends OrderedWork {
  readonly server: (queries: Queries, accountId: string, id: string) => Promise<object | undefined>;
  readonly definitions: {
    readonly archive: (tx: Tx, principal: Principal, id: string, container: 'keep') => Promise<unknown>;
  };
  readonly deployments: OrderedWork['deployments'] & {
    readonly cancel: (tx: Tx, principal: Principal, id: string) => Promise<unknown>;
  };
  readonly instances: {
    readonly lock: (tx: Tx, principal: Principal, id: string) => Promise<Row<'instances'>>;
    /** Orders the removal of an instance with its volumes; undefined if there is nothing. */
    readonly discard: (
      tx: Tx,
      definitionId: string,
      volumes: readonly string[],
      actor: string | null,
    ) => Promise<{ readonly id: string } | undefined>;
  };
  readonly actions: OrderedWork['actions'] & {
    readonly order: (tx: Tx, order: SmokeOrder) => Promise<{ readonly id: string }>;
    readonly cancel: (tx: Tx, principal: Principal, id: string) => Promise<unknown>;
  };
}

interface SmokeOrder {
  readonly instance: Row<'instances'>;
  readonly slug: typeof builtIn.smoke;
  readonly actor: string | null;
}

/** Columns that all trials have. */
export interface TrialRow {
  readonly id: string;
  readonly account_id: string;
  readonly server_id: string;
  readonly status: string;
  readonly created_by: string | null;
  readonly deadline_at: number;
  /** The execution that removes what was deployed. */
  readonly release_id: string | null;
  readonly finished_at: number | null;
  /** When nothing of it was left on the server. */
  readonly cleared_at: number | null;
}

/** A trial without a reason has passed. */
export interface Verdict<Reason> {
  readonly reason?: Reason;
  readonly error?: string | null;
  readonly output?: string | null;
}

/** One status of a running trial. */
export interface TrialStep<R, Reason> {
  /** The work that the step waits for; undefined if it waits for nothing. */
  readonly awaits: (row: R) => { readonly deployment: string } | { readonly execution: string } | undefined;
  /** Why the trial has failed if that work fails. */
  readonly failure: Reason;
  /** Ends the trial once that work has succeeded, if nothing is left to try. */
  readonly ends?: (tx: Tx, row: R) => Promise<Verdict<Reason> | undefined>;
  /** Orders the next step once that work has succeeded. The last step has none: the trial has passed. */
  readonly proceed?: (tx: Tx, row: R) => Promise<unknown>;
}

/** What differs between kinds of trials. */
export interface TrialKind<R extends TrialRow, Reason extends string> {
  readonly lock: (tx: Tx, id: string) => Promise<R | undefined>;
  readonly steps: Readonly<Partial<Record<string, TrialStep<R, Reason>>>>;
  readonly errors: { readonly serverRemoved: string; readonly timeout: (row: R) => string };
  /** Reason of a trial that another resource refuses to continue; without one, the step is retried. */
  readonly refusal?: Reason;
  readonly definitionOf: (row: R) => string;
  readonly deploymentsOf: (row: R) => readonly string[];
  readonly volumesOf: (row: R) => readonly string[];
  /** How long the deployment is kept after the end. */
  readonly keptUntil?: (row: R) => number;
  readonly end: (
    tx: Tx,
    row: R,
    verdict: Verdict<Reason | 'server_removed' | 'timeout'>,
    actor: string | null,
  ) => Promise<unknown>;
  readonly noteRelease: (tx: Tx, row: R, executionId: string) => Promise<unknown>;
  readonly noteCleared: (tx: Tx, row: R) => Promise<unknown>;
}

/** Pause between attempts to clean up. */
const CLEAR_RETRY_MS = 60_000;

/**
 * Deploys something for a while: advances it step by step, ends it with a verdict, and removes everything. The row
 * records the progress, so that it can be interrupted anywhere.
 */
export class Trial<R extends TrialRow, Reason extends string> {
  readonly #parts: TrialParts;
  readonly #kind: TrialKind<R, Reason>;
  readonly #states: WorkStates;
  constructor(parts: TrialParts, kind: TrialKind<R, Reason>) {
    this.#parts = parts;
    this.#kind = kind;
    this.#states = workStates(parts);
  }

  /** The job is done only when nothing of the trial is left on the server, whether it has passed or not. */
  job(storage: Storage): JobKind {
    return rowJob({
      storage,
      lock: this.#kind.lock,
      isOver: ({ cleared_at }) => cleared_at !== null,
      advance: (tx, row) => this.advance(tx, row),
      fail: (tx, row, problem) => this.#refuse(tx, row, problem),
    });
  }

  async advance(tx: Tx, row: R): Promise<NextStep> {
    const { steps, errors, keptUntil } = this.#kind;
    if (row.finished_at !== null) {
      const until = keptUntil?.(row) ?? 0;
      return until > tx.now ? until : await this.#clear(tx, row);
    }
    if (!(await this.#hasServer(tx, row)))
      return await this.end(tx, row, { reason: 'server_removed', error: errors.serverRemoved });
    const step = steps[row.status];
    if (!step) throw new Error(`The trial ${row.id} has no step ${row.status}.`);
    const work = await this.#awaited(tx, row, step);
    if (work && !work.ended) {
      if (tx.now < row.deadline_at) return Math.min(tx.now + POLL_MS, row.deadline_at);
      await this.cancel(tx, row);
      return await this.end(tx, row, { reason: 'timeout', error: errors.timeout(row) });
    }
    const output = work?.output ?? null;
    if (work && !work.succeeded)
      return await this.end(tx, row, { reason: step.failure, error: work.error ?? work.reason, output });
    const verdict = await step.ends?.(tx, row);
    if (verdict) return await this.end(tx, row, verdict);
    if (!step.proceed) return await this.end(tx, row, { output });
    await step.proceed(tx, row);
    return tx.now + POLL_MS;
  }

  /** Ends a trial; its job then removes what it has deployed. */
  async end(
    tx: Tx,
    row: R,
    verdict: Verdict<Reason | 'server_removed' | 'timeout'>,
    actor: string | null = null,
  ): Promise<number> {
    await this.#kind.end(tx, row, verdict, actor);
    return tx.now;
  }

  /** Cancels deployments that have not ended. */
  async cancel(tx: Tx, row: R): Promise<void> {
    const { deployments, actions } = this.#parts;
    const principal = ordererOf(row);
    for (const id of this.#kind.deploymentsOf(row)) {
      const deployment = await deployments.find(tx, principal, id);
      const filling = fillingOf(deployment);
      // The end of the execution ends the deployment.
      if (filling !== undefined) await actions.cancel(tx, principal, filling);
      else if (deployment.finished_at === null) await deployments.cancel(tx, principal, id);
    }
  }

  async #refuse(tx: Tx, row: R, problem: Problem): Promise<number> {
    const { refusal } = this.#kind;
    if (refusal === undefined || row.finished_at !== null) throw problem;
    return await this.end(tx, row, { reason: refusal, error: problem.message });
  }

  async #awaited(tx: Tx, row: R, { awaits }: TrialStep<R, Reason>): Promise<WorkState | undefined> {
    const work = awaits(row);
    if (!work) return undefined;
    return 'deployment' in work
      ? await this.#states.deployment(tx, ordererOf(row), work.deployment)
      : await this.#states.execution(tx, ordererOf(row), work.execution);
  }

  async #hasServer(tx: Tx, { account_id, server_id }: R): Promise<boolean> {
    return (await this.#parts.server(tx, account_id, server_id)) !== undefined;
  }

  async #clear(tx: Tx, row: R): Promise<NextStep> {
    const { definitionOf, deploymentsOf, volumesOf, noteRelease } = this.#kind;
    if (!(await this.#hasServer(tx, row))) return await this.#cleared(tx, row);
    // A cancelled deployment may still be creating what is to be removed.
    for (const id of deploymentsOf(row))
      if (!(await this.#states.deployment(tx, ordererOf(row), id)).ended) return tx.now + POLL_MS;
    const { release_id } = row;
    const release = release_id === null ? undefined : await this.#states.execution(tx, ordererOf(row), release_id);
    if (release?.succeeded) return await this.#cleared(tx, row);
    if (release && !release.ended) return tx.now + POLL_MS;
    const ordered = await this.#parts.instances.discard(tx, definitionOf(row), volumesOf(row), row.created_by);
    if (!ordered) return await this.#cleared(tx, row);
    await noteRelease(tx, row, ordered.id);
    return tx.now + (release ? CLEAR_RETRY_MS : POLL_MS);
  }

  async #cleared(tx: Tx, row: R): Promise<undefined> {
    await this.#parts.definitions.archive(tx, ordererOf(row), this.#kind.definitionOf(row), 'keep');
    await this.#kind.noteCleared(tx, row);
  }
}

/** Orders the smoke test of a trial; returns the id of its execution. */
export async function orderSmoke({ instances, actions }: TrialParts, tx: Tx, row: TrialRow, instanceId: string) {
  const instance = await instances.lock(tx, ordererOf(row), instanceId);
  return (await actions.order(tx, { instance, slug: builtIn.smoke, actor: row.created_by })).id;
}

export const ordererOf = ({ account_id, created_by }: TrialRow): Principal => standInFor(account_id, created_by);

/** The execution that restores data for a deployment which waits for it. */
const fillingOf = ({ status, preparation }: Deployment): string | undefined =>
  status === 'pending' && preparation?.kind === 'restore' && !preparation.done
    ? (preparation.execution_id ?? undefined)
    : undefined;
