import type { Principal } from '../../identity/principal.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import { conflict, notFound } from '../../problem.ts';
import { transition } from '../../state/transition.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { type DefinitionRow, holdDefinition } from '../definitions/deployable.ts';
import { deploymentLifecycle } from './lifecycle.ts';
import {
  type DeploymentRow,
  findDeployment,
  lockDeployment,
  lockUnfinished,
  requestCancel,
  type Scope,
  unfinishedOf,
} from './store.ts';

/** Tells whoever holds the daemon's connection, after the commit, that there is something for it. */
export type Wake = (tx: Tx, serverId: string) => void;

/** A daemon sees what is on its own server and nothing else. */
export const scopeOf = (principal: Principal): Scope => ({
  accountId: principal.accountId,
  serverId: principal.kind === 'server' ? principal.serverId : undefined,
});

export interface Held {
  readonly definition: DefinitionRow;
  readonly deployment: DeploymentRow;
}

/** Holds the deployment, and its definition before it: so everything that moves a queue waits for one another. */
export async function hold(tx: Tx, scope: Scope, id: string): Promise<Held> {
  const found = await findDeployment(tx, scope, id);
  const definition = found && (await holdDefinition(tx, found.account_id, found.definition_id));
  const deployment = definition && (await lockDeployment(tx, id));
  if (!definition || !deployment) throw notFound('deployment');
  return { definition, deployment };
}

export const hasEnded = ({ status }: DeploymentRow): boolean => deploymentLifecycle.machine.final.includes(status);

/** One for each deployment that something has to be done before. */
export const PREPARE = 'deployment.prepare';

export const isPrepared = ({ preparation, prepared_at }: DeploymentRow): boolean =>
  preparation === null || prepared_at !== null;

export const prepareAt = (tx: Tx, { id }: Pick<DeploymentRow, 'id'>, runAt: number): Promise<void> =>
  enqueue(tx, { kind: PREPARE, key: id, payload: { deployment_id: id }, runAt });

/** One deployment of a definition runs at a time, and the oldest comes first. */
export async function requireTurn(tx: Tx, row: DeploymentRow): Promise<void> {
  const queue = await unfinishedOf(tx, row.definition_id);
  const ahead = queue.find(({ status }) => status === 'running') ?? queue[0];
  if (ahead && ahead.id !== row.id) {
    const message = `the deployment ${ahead.id} of the same definition comes first.`;
    throw conflict('status', 'waiting', message, { deployment_id: ahead.id });
  }
  if (!isPrepared(row))
    throw conflict('status', 'waiting', `a ${row.preparation} comes first.`, {
      execution_id: row.preparation_execution,
    });
}

/** Something has ended: if another of the definition waits, it is its turn now. */
export async function wakeNext(tx: Tx, wake: Wake, { definition_id, server_id }: DeploymentRow): Promise<void> {
  const next = await underWay(tx, definition_id);
  if (next === undefined) return;
  if (isPrepared(next)) wake(tx, server_id);
  else await prepareAt(tx, next, tx.now);
}

/**
 * What ran is taken away before data is brought back, and then the data is that of another revision: from there on nothing but
 * this deployment makes the two fit again.
 */
export const bringsDataBack = ({ preparation, preparation_execution }: DeploymentRow): boolean =>
  preparation === 'restore' && preparation_execution !== null;

/** One that waits ends at once; one that runs ends when its daemon says so. */
export async function cancelHeld(tx: Tx, wake: Wake, row: DeploymentRow, actor: string | null): Promise<DeploymentRow> {
  if (row.status === 'pending') {
    const set = { reason: 'cancelled', error: 'It was cancelled before it began.', finished_at: tx.now };
    return await transition(tx, deploymentLifecycle, row, 'cancel', { actor, set });
  }
  if (row.cancel_requested_at !== null) return row;
  wake(tx, row.server_id);
  return await requestCancel(tx, row);
}

/** For definitions that are archived: ends what waits and, if asked, what runs. The caller holds the definition. */
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

/** For definitions that are to be archived: what brings data back comes to its end first. The caller holds the definition. */
export async function requireFittingData(tx: Tx, definitionId: string): Promise<void> {
  const back = (await lockUnfinished(tx, definitionId)).find(bringsDataBack);
  if (!back) return;
  const why = 'its data is being brought back, and would be left without the code that it is of; wait for the end.';
  throw conflict('id', 'restoring', why, { deployment_id: back.id });
}

/**
 * For tenants that are suspended: ends what waits and what runs, except what brings data back, which comes to its end. Answers
 * whether there is such a one. The caller holds the definition.
 */
export const suspendDeployments =
  (wake: Wake) =>
  async (tx: Tx, definitionId: string, actor: string | null): Promise<boolean> => {
    const rows = await lockUnfinished(tx, definitionId);
    for (const row of rows) if (!bringsDataBack(row)) await cancelHeld(tx, wake, row, actor);
    return rows.some(bringsDataBack);
  };

/** What is under way for a definition: the deployment that its daemon works on, or may begin with. */
export async function underWay(queries: Queries, definitionId: string): Promise<DeploymentRow | undefined> {
  const queue = await unfinishedOf(queries, definitionId);
  return queue.find(({ status }) => status === 'running') ?? queue[0];
}

export const deploymentFor = (queries: Queries, principal: Principal, id: string): Promise<DeploymentRow | undefined> =>
  findDeployment(queries, scopeOf(principal), id);
