import { randomBytes } from 'node:crypto';
import type { Execution } from '@hortus/contract/resources/actions';
import { append } from '../../outbox/append.ts';
import { begin } from '../../state/transition.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { NamedRow } from '../instances/public.ts';
import { backupLifecycle } from './lifecycle.ts';
import type { BackupRow } from './store.ts';

const KEY_BYTES = 32;
/** Binds the key to its backup: it does not decrypt for another one. */
const keyContext = (backupId: string): string => `backup/${backupId}`;

export const newKey = (): string => randomBytes(KEY_BYTES).toString('base64');

/** Decrypts the key of a backup. */
export const keyOf = (queries: Queries, vault: Vault, row: BackupRow): Promise<string> =>
  vault.decrypt(queries, row.account_id, row.key, keyContext(row.id));

/** Records a backup that was ordered, with its encrypted key. */
export async function beginBackup(
  tx: Tx,
  vault: Vault,
  instance: NamedRow,
  made: Pick<BackupRow, 'id' | 'kind' | 'key'> & { execution: Execution; actor: string | null },
): Promise<BackupRow> {
  const { id, kind, key, execution, actor } = made;
  const { account_id, definition_id, server_id, instance_uid } = instance;
  const row = {
    id,
    account_id,
    instance_id: instance.id,
    definition_id,
    server_id,
    instance_uid,
    execution_id: execution.id,
    kind,
    key: await vault.encrypt(tx, account_id, key, keyContext(id)),
    manifest: null,
    manifest_sha256: null,
    stored_bytes: 0,
    bytes: 0,
    address: null,
    error: null,
    verified_at: null,
    proof: null,
    verify_error: null,
    created_by: actor,
    created_at: tx.now,
    updated_at: tx.now,
    finished_at: null,
  };
  const born = await begin(tx, backupLifecycle, row, 'order', actor);
  await auditBackup(tx, 'audit.backup_ordered', born, actor);
  return born;
}

export function auditBackup(tx: Tx, type: `audit.${string}`, row: BackupRow, actor: string | null): Promise<void> {
  const data = backupLifecycle.eventData(row);
  return append(tx, { type, accountId: row.account_id, resourceType: 'backup', resourceId: row.id, actor, data });
}
