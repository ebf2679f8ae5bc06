import { conflict, invalid } from '../../problem.ts';
import { transition } from '../../state/transition.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { definitionLifecycle } from './lifecycle.ts';
import { type Owner, secretContext } from './secrets.ts';
import {
  type DefinitionRow,
  findByContainerName,
  findRevision,
  findUnarchived,
  listSecrets,
  lockDefinition,
  type RevisionRow,
  type SecretRow,
  setSucceeded,
} from './store.ts';

/** Finds the definition that has the uid now, or an archived one by its container name. */
export const definitionByUid = async (queries: Queries, accountId: string, uid: string) =>
  (await findUnarchived(queries, accountId, uid)) ?? (await findByContainerName(queries, accountId, uid));

export async function revisionOf(queries: Queries, definitionId: string, number: number): Promise<RevisionRow> {
  const revision = await findRevision(queries, definitionId, number);
  if (!revision) throw new Error(`Revision ${number} of ${definitionId} does not exist.`);
  return revision;
}

export interface Pinned {
  readonly definition: DefinitionRow;
  readonly revision: RevisionRow;
}

/**
 * Locks a definition and finds the revision to deploy, the current one by default. `field` is the request field with
 * the id.
 */
export async function pin(
  tx: Tx,
  accountId: string,
  id: string,
  { field, number }: { field: string; number?: number },
): Promise<Pinned> {
  const definition = await lockDefinition(tx, accountId, id);
  if (!definition) throw invalid(field, 'there is no such definition.', { reason: 'unknown' });
  if (definition.status === 'archived')
    throw conflict(field, 'archived', 'the definition is archived; activate it first.');
  const revision = await revisionOf(tx, id, number ?? definition.current_revision);
  await requireSecrets(tx, revision, field);
  return { definition, revision };
}

/** Refuses a revision whose secrets have been removed: secret values are not rolled back. */
export async function requireSecrets(tx: Tx, revision: RevisionRow, field: string): Promise<void> {
  const needed = JSON.parse(revision.secret_inputs) as string[];
  if (needed.length === 0) return;
  const held = new Set((await listSecrets(tx, revision.definition_id)).map(({ name }) => name));
  const missing = needed.filter((name) => !held.has(name));
  if (missing.length === 0) return;
  const message = `revision ${revision.number} needs ${missing.join(', ')}; set it first.`;
  throw conflict(field, 'secret_removed', message, { missing });
}

export type SecretValue = Pick<SecretRow, 'name' | 'kind'> & { readonly value: string; readonly updatedAt: number };

export async function secretValues(
  queries: Queries,
  vault: Pick<Vault, 'decrypt'>,
  { accountId, definitionId }: Owner,
): Promise<SecretValue[]> {
  const values: SecretValue[] = [];
  for (const { name, kind, ciphertext, updated_at: updatedAt } of await listSecrets(queries, definitionId)) {
    if (ciphertext === null) continue;
    const value = await vault.decrypt(queries, accountId, ciphertext, secretContext(definitionId, name));
    values.push({ name, kind, value, updatedAt });
  }
  return values;
}

/** Records a successful deployment; `makeCurrent` is the revision that a rollback restored. */
export async function succeeded(
  tx: Tx,
  definition: DefinitionRow,
  { actor, makeCurrent }: { actor: string | null; makeCurrent?: number },
): Promise<void> {
  let row = definition;
  if (makeCurrent !== undefined && makeCurrent !== row.current_revision) {
    const { template_id } = await revisionOf(tx, row.id, makeCurrent);
    const set = { current_revision: makeCurrent, template_id };
    row = await transition(tx, definitionLifecycle, row, 'revise', { actor, set });
  }
  if (row.status === 'archived') await setSucceeded(tx, row.id);
  else await transition(tx, definitionLifecycle, row, 'succeed', { actor, set: { succeeded_at: tx.now } });
}
