import type { JobKind } from '../../jobs/job.ts';
import { POLL_MS, rowJob } from '../../jobs/row-job.ts';
import { transition } from '../../state/transition.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import { deploymentLifecycle } from './lifecycle.ts';
import { matchesData } from './matching-data.ts';
import { hasEnded, holdById, isPrepared, underWay, type Wake, wakeNext, wakePreparation } from './queue.ts';
import type { Leaving } from './route-claims/route-claims.ts';
import { type DeploymentRow, notePreparation, preparedBy } from './store.ts';

/** The execution and backup ordered before a deployment. */
interface Preparing {
  readonly executionId: string;
  readonly backupId: string;
}

export interface PreparationsDeps {
  readonly storage: Storage;
  readonly wake: Wake;
  /** Orders a backup of the running instance; undefined if there is none. `matchingData`: its data matches its revision. */
  readonly backUp: (tx: Tx, row: DeploymentRow, matchingData: boolean) => Promise<Preparing | undefined>;
  /** Orders the restore of its backup; on failure the previous deployment starts again if it matches its data. */
  readonly putBack: (tx: Tx, row: DeploymentRow, matchingData: boolean) => Promise<Preparing>;
  /** Claims its routes; returns what must leave first. Throws a Problem if another definition keeps one. */
  readonly claim: (tx: Tx, row: DeploymentRow) => Promise<Leaving | undefined>;
  readonly execution: (
    queries: Queries,
    id: string,
  ) => Promise<
    { readonly status: string; readonly error: string | null; readonly finished_at: number | null } | undefined
  >;
}

const words = {
  backup: 'Nothing was changed: the backup before the deployment failed',
  restore: 'The data could not be restored',
  release: 'Nothing was changed: the address could not be taken over',
} as const;

/**
 * Runs the work that precedes a deployment: a backup, a restore of its data, or the removal of the containers of an archived
 * definition that have its address. The deployment, and the queue of its
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
    await wakePreparation(tx, row.id, nextPoll(tx, begun));
    return begun;
  }

  /** Call in the transaction that ends an execution, whatever its outcome. */
  async executionEnded(tx: Tx, id: string): Promise<void> {
    for (const row of await preparedBy(tx, id)) await wakePreparation(tx, row.id);
  }

  job(): JobKind {
    const advance = this.#advance.bind(this);
    return rowJob({
      storage: this.#deps.storage,
      lock: holdById,
      isOver: (row) => hasEnded(row) || isPrepared(row),
      async advance(tx, row) {
        const { over, row: advanced } = await advance(tx, row);
        return over ? undefined : nextPoll(tx, advanced);
      },
      fail: async (tx, row, { message }) => void (await this.#giveUp(tx, row, message)),
    });
  }

  async #advance(tx: Tx, row: DeploymentRow): Promise<Advance> {
    const first = await underWay(tx, row.definition_id);
    if (first?.id !== row.id) return { row, over: false };
    if (row.preparation === 'release') return this.#takeOver(tx, row);
    if (row.preparation_execution === null) return this.#order(tx, row);
    const execution = await this.#deps.execution(tx, row.preparation_execution);
    if (execution && execution.finished_at === null) return { row, over: false };
    if (execution?.status === 'completed') return this.#ready(tx, row);
    return this.#giveUp(tx, row, execution?.error ?? `its execution ended as ${execution?.status ?? 'unknown'}.`);
  }

  async #order(tx: Tx, row: DeploymentRow): Promise<Advance> {
    const { backUp, putBack } = this.#deps;
    const matchingData = await matchesData(tx, row.definition_id);
    const preparing = await (row.preparation === 'backup'
      ? backUp(tx, row, matchingData)
      : putBack(tx, row, matchingData));
    if (preparing === undefined) return this.#ready(tx, row);
    const { executionId: preparation_execution, backupId: backup_id } = preparing;
    return { row: await notePreparation(tx, row, { preparation_execution, backup_id }), over: false };
  }

  async #takeOver(tx: Tx, row: DeploymentRow): Promise<Advance> {
    const leaving = await this.#deps.claim(tx, row);
    if (!leaving) return this.#ready(tx, row);
    const { executionId: preparation_execution } = leaving;
    const isKnown = preparation_execution === row.preparation_execution;
    return { row: isKnown ? row : await notePreparation(tx, row, { preparation_execution }), over: false };
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

/** Nothing tells of the end of a cancelled deployment that still has the address. */
const CANCELLING_POLL_MS = 5_000;

const nextPoll = (tx: Tx, { preparation, preparation_execution }: DeploymentRow): number =>
  tx.now + (preparation === 'release' && preparation_execution === null ? CANCELLING_POLL_MS : POLL_MS);

interface Advance {
  readonly row: DeploymentRow;
  /** Nothing is left to wait for. */
  readonly over: boolean;
}
