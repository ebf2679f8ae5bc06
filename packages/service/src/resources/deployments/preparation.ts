import type { JobKind } from '../../jobs/job.ts';
import { Problem } from '../../problem.ts';
import { transition } from '../../state/transition.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import { deploymentLifecycle } from './lifecycle.ts';
import { hasOwnData } from './own-data.ts';
import { hasEnded, hold, isPrepared, prepareAt, underWay, type Wake, wakeNext } from './queue.ts';
import { type DeploymentRow, deploymentById, notePreparation, preparedBy } from './store.ts';

/** The execution and backup ordered before a deployment. */
export interface Preparing {
  readonly executionId: string;
  readonly backupId: string;
}

export interface PreparationsDeps {
  readonly storage: Storage;
  readonly wake: Wake;
  /** Orders a backup of the running instance; undefined if there is none. `ownData`: its data matches its revision. */
  readonly backUp: (tx: Tx, row: DeploymentRow, ownData: boolean) => Promise<Preparing | undefined>;
  /** Orders the restore of its backup; on failure the previous deployment starts again if it matches its data. */
  readonly putBack: (tx: Tx, row: DeploymentRow, ownData: boolean) => Promise<Preparing>;
  readonly execution: (
    queries: Queries,
    id: string,
  ) => Promise<
    { readonly status: string; readonly error: string | null; readonly finished_at: number | null } | undefined
  >;
}

/** Fallback poll; normally the end of the execution or of the deployment ahead triggers the job. */
const LOOK_MS = 600_000;

const words = {
  backup: 'Nothing was changed: the backup before the deployment failed',
  restore: 'The data could not be restored',
} as const;

/**
 * Runs the work that precedes a deployment: a backup, or a restore of its data. The deployment, and the queue of its
 * definition behind it, waits for the end of that work and fails with it.
 */
export class Preparations {
  readonly #deps: PreparationsDeps;
  constructor(deps: PreparationsDeps) {
    this.#deps = deps;
  }

  /** Call in the transaction that orders the deployment, with its definition locked. */
  async begin(tx: Tx, row: DeploymentRow): Promise<DeploymentRow> {
    if (isPrepared(row)) return row;
    const { row: begun } = await this.#advance(tx, row);
    await prepareAt(tx, row, tx.now + LOOK_MS);
    return begun;
  }

  /** Call in the transaction that ends an execution, whatever its outcome. */
  async executionEnded(tx: Tx, id: string): Promise<void> {
    const row = await preparedBy(tx, id);
    if (row) await prepareAt(tx, row, tx.now);
  }

  job(): JobKind {
    const { storage } = this.#deps;
    return {
      maxAttempts: Number.POSITIVE_INFINITY,
      run: async ({ job, complete }) => {
        const { deployment_id: id } = job.payload as { deployment_id: string };
        const run = (step: (row: DeploymentRow, tx: Tx) => Promise<boolean>) =>
          storage.write(async (tx) => {
            const row = await waiting(tx, id);
            const over = row === undefined || (await step(row, tx));
            return complete(tx, over ? 'done' : { again: tx.now + LOOK_MS });
          });
        try {
          return await run(async (row, tx) => (await this.#advance(tx, row)).over);
        } catch (error) {
          // A Problem, such as a deleted backup, is permanent: fail the deployment instead of retrying.
          if (!(error instanceof Problem)) throw error;
          return await run(async (row, tx) => (await this.#giveUp(tx, row, error.message)).over);
        }
      },
    };
  }

  async #advance(tx: Tx, row: DeploymentRow): Promise<Advance> {
    const first = await underWay(tx, row.definition_id);
    if (first?.id !== row.id) return { row, over: false };
    if (row.preparation_execution === null) return this.#order(tx, row);
    const execution = await this.#deps.execution(tx, row.preparation_execution);
    if (execution && execution.finished_at === null) return { row, over: false };
    if (execution?.status === 'completed') return this.#ready(tx, row);
    return this.#giveUp(tx, row, execution?.error ?? `its execution ended as ${execution?.status ?? 'unknown'}.`);
  }

  async #order(tx: Tx, row: DeploymentRow): Promise<Advance> {
    const { backUp, putBack } = this.#deps;
    const ownData = await hasOwnData(tx, row.definition_id);
    const preparing = await (row.preparation === 'backup' ? backUp(tx, row, ownData) : putBack(tx, row, ownData));
    if (preparing === undefined) return this.#ready(tx, row);
    const { executionId: preparation_execution, backupId: backup_id } = preparing;
    return { row: await notePreparation(tx, row, { preparation_execution, backup_id }), over: false };
  }

  async #ready(tx: Tx, row: DeploymentRow): Promise<Advance> {
    const ready = await notePreparation(tx, row, { prepared_at: tx.now });
    this.#deps.wake(tx, row.server_id);
    return { row: ready, over: true };
  }

  async #giveUp(tx: Tx, row: DeploymentRow, why: string): Promise<Advance> {
    const reason = row.preparation ?? 'backup';
    const set = { reason, error: `${words[reason]}: ${why}`, finished_at: tx.now };
    const failed = await transition(tx, deploymentLifecycle, row, 'give_up', { actor: null, set });
    await wakeNext(tx, this.#deps.wake, failed);
    return { row: failed, over: true };
  }
}

interface Advance {
  readonly row: DeploymentRow;
  /** Nothing is left to wait for. */
  readonly over: boolean;
}

/** Locks a deployment that still waits for its preparation; undefined otherwise. */
async function waiting(tx: Tx, id: string): Promise<DeploymentRow | undefined> {
  const found = await deploymentById(tx, id);
  if (!found) return undefined;
  const { deployment } = await hold(tx, { accountId: found.account_id }, id);
  return hasEnded(deployment) || isPrepared(deployment) ? undefined : deployment;
}
