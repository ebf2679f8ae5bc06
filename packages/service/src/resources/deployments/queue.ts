import type { Principal } from '../../identity/principal.ts';
import { waker } from '../../jobs/wake.ts';
import { conflict, notFound } from '../../problem.ts';
import { transition } from '../../state/transition.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { type DefinitionRow, lockDefinition } from '../definitions/public.ts';
import { deploymentLifecycle } from './lifecycle.ts';
import {
  type DeploymentRow,
  deploymentById,
  findDeployment,
  lockDeployment,
  lockUnfinished,
  requestCancel,
  type Scope,
  unfinishedOf,
} from './store.ts';

/** Notifies the daemon, after the commit, that there is work for it. */
export type Wake = (tx: Tx, serverId: string) => void;

/** A daemon sees only the deployments of its own server. */
export const scopeOf = (principal: Principal): Scope => ({
  accountId: principal.accountId,
  serverId: principal.kind === 'server' ? principal.serverId : undefined,
});

export interface Held {
  readonly definition: DefinitionRow;
  readonly deployment: DeploymentRow;
}

/** Locks the definition, then the deployment, so that changes to a definition's queue are serialized. */
export async function hold(tx: Tx, scope: Scope, id: string): Promise<Held> {
  const found = await findDeployment(tx, scope, id);
  const definition = found && (await lockDefinition(tx, found.account_id, found.definition_id));
  const deployment = definition && (await lockDeployment(tx, id));
  if (!definition || !deployment) throw notFound('deployment');
  return { definition, deployment };
}

/** The same without an account, for jobs. */
export async function holdById(tx: Tx, id: string): Promise<DeploymentRow | undefined> {
  const found = await deploymentById(tx, id);
  return found && (await hold(tx, { accountId: found.account_id }, id)).deployment;
}

export const hasEnded = ({ status }: Pick<DeploymentRow, 'status'>): boolean =>
  deploymentLifecycle.machine.final.includes(status);

/** One job per deployment with a preparation. */
export const PREPARE = 'deployment.prepare';

export const isPrepared = ({ preparation, prepared_at }: DeploymentRow): boolean =>
  preparation === null || prepared_at !== null;

export const wakePreparation = waker(PREPARE);

/** Requires that a deployment is next: one per definition runs at a time, oldest first. */
export async function requireTurn(tx: Tx, row: DeploymentRow): Promise<void> {
  const queue = await unfinishedOf(tx, row.definition_id);
  const ahead = queue.find(({ status }) => status === 'running') ?? queue[0];
  if (ahead && ahead.id !== row.id) {
    const message = `the deployment ${ahead.id} of the same definition is ahead; wait for it.`;
    throw conflict('status', 'waiting', message, { deployment_id: ahead.id });
  }
  if (!isPrepared(row))
    throw conflict('status', 'waiting', `a ${row.preparation} comes first.`, {
      execution_id: row.preparation_execution,
    });
}

/** Starts the next deployment of the definition after one has ended. */
export async function wakeNext(tx: Tx, wake: Wake, { definition_id, server_id }: DeploymentRow): Promise<void> {
  const next = await underWay(tx, definition_id);
  if (next === undefined) return;
  if (isPrepared(next)) wake(tx, server_id);
  else await wakePreparation(tx, next.id);
}

/**
 * Whether a deployment is restoring data. The old containers are already removed and the data belongs to another
 * revision, so only finishing this deployment makes code and data match again.
 */
export const bringsDataBack = ({ preparation, preparation_execution }: DeploymentRow): boolean =>
  preparation === 'restore' && preparation_execution !== null;

/** Cancels a pending deployment immediately, a running one once its daemon confirms. */
export async function cancelHeld(tx: Tx, wake: Wake, row: DeploymentRow, actor: string | null): Promise<DeploymentRow> {
  if (row.status === 'pending') {
    const set = { reason: 'cancelled', error: 'The deployment was cancelled before it started.', finished_at: tx.now };
    return await transition(tx, deploymentLifecycle, row, 'cancel', { actor, set });
  }
  if (row.cancel_requested_at !== null) return row;
  wake(tx, row.server_id);
  return await requestCancel(tx, row);
}

/** Cancels pending and, if asked, running deployments of a definition that is archived. The caller has locked it. */
export const stopDeployments =
  (wake: Wake) =>
  async (
    tx: Tx,
    definitionId: string,
    actor: string | null,
    { runningToo }: { runningToo: boolean },
  ): Promise<void> => {
    for (const row of await lockUnfinished(tx, definitionId)) {
      if (row.status === 'pending' || runningToo) await cancelHeld(tx, wake, row, actor);
    }
  };

/** Refuses to archive a definition while a deployment restores its data. The caller has locked the definition. */
export async function requireFittingData(tx: Tx, definitionId: string): Promise<void> {
  const back = (await lockUnfinished(tx, definitionId)).find(bringsDataBack);
  if (!back) return;
  const why = 'a restore is running; wait for it to finish before archiving.';
  throw conflict('id', 'restoring', why, { deployment_id: back.id });
}

/**
 * Cancels the deployments of a suspended tenant, except one that is restoring data, which runs to its end. Returns
 * whether there is such a one. The caller has locked the definition.
 */
export const suspendDeployments =
  (wake: Wake) =>
  async (tx: Tx, definitionId: string, actor: string | null): Promise<boolean> => {
    const rows = await lockUnfinished(tx, definitionId);
    for (const row of rows) if (!bringsDataBack(row)) await cancelHeld(tx, wake, row, actor);
    return rows.some(bringsDataBack);
  };

/** Finds the deployment that the daemon runs or may start next. */
export async function underWay(queries: Queries, definitionId: string): Promise<DeploymentRow | undefined> {
  const queue = await unfinishedOf(queries, definitionId);
  return queue.find(({ status }) => status === 'running') ?? queue[0];
}

export const deploymentFor = (queries: Queries, principal: Principal, id: string): Promise<DeploymentRow | undefined> =>
  findDeployment(queries, scopeOf(principal), id);
