import { idPattern } from '@hortus/contract/records/ids';
import type { DeployReport } from '@hortus/contract/resources/deployment-reports';
import { invalid, notFound } from '../../problem.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { findRevision, type RevisionRow } from '../definitions/public.ts';
import { beginDeployment } from './begin.ts';
import { type Held, hold } from './queue.ts';
import { type DeploymentRow, deploymentById, lastSuccess, type Scope } from './store.ts';

/** A rollback that a daemon made on its own: the deployment it undid and the revision it returned to. */
export interface Return {
  readonly rollbackOf: string;
  readonly revision: number;
}

/** Reads such a rollback from a report of an unknown deployment; undefined if it is none. */
export function returnIn(id: string, body: Pick<DeployReport, 'rollback_of' | 'revision'>): Return | undefined {
  const { rollback_of, revision } = body;
  if (rollback_of === undefined || rollback_of === null) return undefined;
  if (!new RegExp(idPattern('deployment')).test(id)) throw invalid('deployment_id', 'is not the id of a deployment.');
  if (revision === undefined || revision === null) throw invalid('revision', 'is required with rollback_of.');
  return { rollbackOf: rollback_of, revision };
}

/** Finds the revision that a daemon says it returned to. */
export async function readReturnedRevision(
  queries: Queries,
  definitionId: string,
  number: number,
): Promise<RevisionRow> {
  const revision = await findRevision(queries, definitionId, number);
  if (!revision) throw invalid('revision', 'the definition has no such revision.', { reason: 'unknown' });
  return revision;
}

/** Records a rollback made by the daemon; the same report ends it, in the same transaction. */
export async function recordReturn(
  tx: Tx,
  scope: Scope,
  id: string,
  { rollbackOf, revision: number }: Return,
  actor: string,
): Promise<void> {
  const { definition } = await hold(tx, scope, rollbackOf);
  // A concurrent report may have recorded it already.
  const known = await deploymentById(tx, id);
  if (known) {
    if (known.definition_id !== definition.id) throw notFound('deployment');
    return;
  }
  const revision = await readReturnedRevision(tx, definition.id, number);
  await beginDeployment(tx, { definition, revision }, { id, rollbackOf, actor });
}

/** Whether the rollback is still what runs: false if something else was deployed since. */
export async function isNewest(tx: Tx, { definition_id, rollback_of }: DeploymentRow): Promise<boolean> {
  return (await lastSuccess(tx, definition_id))?.id === rollback_of;
}

/** Whether the definition was revised since; then the revision that the daemon returned to does not become current. */
export async function wasRevised(tx: Tx, { definition, deployment }: Held): Promise<boolean> {
  const undone = deployment.rollback_of === null ? undefined : await deploymentById(tx, deployment.rollback_of);
  return definition.current_revision !== undone?.revision;
}
