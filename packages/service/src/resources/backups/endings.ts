import { builtIn } from '@hortus/contract/actions/built-in-actions';
import { BackupManifest } from '@hortus/contract/resources/backup-records';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { append } from '../../outbox/append.ts';
import { transition } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import type { EndedBackupAction } from '../actions/public.ts';
import { outdated } from './keeping.ts';
import { backupLifecycle } from './lifecycle.ts';
import { restoreAgain } from './lost-node.ts';
import type { Backups } from './service.ts';
import { type BackupRow, completedOf, findPlan, lockBackup, noteBackup } from './store.ts';

const Taken = Type.Object({
  manifest: BackupManifest,
  manifest_sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  address: Type.String({ maxLength: 1_024 }),
});
const takenResult = Compile(Taken);
const safetyResult = Compile(Type.Object({ safety: Taken }));
const proofResult = Compile(Type.Object({ proof: Type.Enum(['restored', 'read']) }));

/** Applies the outcome of an execution to its backup, in the transaction that ends the execution. */
export class Endings {
  readonly #backups: Pick<Backups, 'remove'>;
  constructor(backups: Pick<Backups, 'remove'>) {
    this.#backups = backups;
  }

  async ended(tx: Tx, ended: EndedBackupAction): Promise<void> {
    const row = await this.#held(tx, ended, 'backup_id');
    if (!row) return;
    switch (ended.slug) {
      case builtIn.backup:
        return this.#taken(
          tx,
          row,
          ended,
          ended.completed && takenResult.Check(ended.result) ? ended.result : undefined,
        );
      case builtIn.restore:
      case builtIn.returnData:
        return this.#restored(tx, row, ended);
      case builtIn.restoreElsewhere:
        return this.#restoredElsewhere(tx, row, ended);
      case builtIn.verifyBackup:
        return this.#verified(tx, row, ended);
      case builtIn.deleteBackup:
        if (row.status === 'deleting')
          await transition(tx, backupLifecycle, row, ended.completed ? 'vanish' : 'spare', { actor: ended.actor });
    }
  }

  async #held(tx: Tx, { accountId, params }: EndedBackupAction, field: string): Promise<BackupRow | undefined> {
    const id = params[field];
    return typeof id === 'string' ? lockBackup(tx, accountId, id) : undefined;
  }

  async #taken(
    tx: Tx,
    row: BackupRow,
    ended: EndedBackupAction,
    taken: Static<typeof Taken> | undefined,
  ): Promise<void> {
    const { actor } = ended;
    if (row.status !== 'pending') return;
    if (taken === undefined) {
      const error = ended.error ?? 'The server did not report the contents of the backup.';
      const set = { error, finished_at: tx.now };
      const failed = await transition(tx, backupLifecycle, row, 'fail', { actor, set });
      return this.#audit(tx, 'audit.backup_failed', failed, actor, { error });
    }
    const { manifest, manifest_sha256, address } = taken;
    const sum = (size: 'bytes' | 'stored_bytes') => manifest.parts.reduce((total, part) => total + part[size], 0);
    const completed = await transition(tx, backupLifecycle, row, 'complete', {
      actor,
      set: {
        manifest: JSON.stringify(manifest),
        manifest_sha256,
        address,
        bytes: sum('bytes'),
        stored_bytes: sum('stored_bytes'),
        finished_at: tx.now,
      },
    });
    await this.#audit(tx, 'audit.backup_completed', completed, actor);
    await this.#tidy(tx, completed);
  }

  /** Deletes the backups that the new one makes obsolete. */
  async #tidy(tx: Tx, { definition_id, account_id }: BackupRow): Promise<void> {
    const limits = (await findPlan(tx, definition_id)) ?? { keep_last: null, keep_days: null };
    for (const id of outdated(await completedOf(tx, definition_id), limits, tx.now)) {
      const row = await lockBackup(tx, account_id, id);
      if (row) await this.#backups.remove(tx, row, null);
    }
  }

  async #restored(tx: Tx, row: BackupRow, ended: EndedBackupAction): Promise<void> {
    const safety = await this.#held(tx, ended, 'safety_backup_id');
    const { result, actor, error } = ended;
    if (safety) await this.#taken(tx, safety, ended, safetyResult.Check(result) ? result.safety : undefined);
    const type = ended.completed ? 'audit.backup_restored' : 'audit.backup_restore_failed';
    await this.#audit(tx, type, row, actor, error === null ? {} : { error });
  }

  async #restoredElsewhere(tx: Tx, row: BackupRow, ended: EndedBackupAction): Promise<void> {
    await this.#restored(tx, row, ended);
    const { lost_node } = ended.params;
    if (ended.outcome !== 'unknown' || typeof lost_node !== 'string') return;
    const { server_id, account_id, definition_id } = row;
    await restoreAgain(tx, { server_id, account_id, definition_id, node_id: lost_node, hostname: lost_node });
  }

  async #verified(tx: Tx, row: BackupRow, { completed, result, error, actor }: EndedBackupAction): Promise<void> {
    if (completed && proofResult.Check(result)) {
      await noteBackup(tx, row.id, { verified_at: tx.now, proof: result.proof, verify_error: null });
      return this.#audit(tx, 'audit.backup_verified', row, actor, { proof: result.proof });
    }
    const why = error ?? 'The server did not report the result of the verification.';
    await noteBackup(tx, row.id, { verify_error: why });
    await this.#audit(tx, 'audit.backup_verification_failed', row, actor, { error: why });
  }

  #audit(tx: Tx, type: `audit.${string}`, row: BackupRow, actor: string | null, more = {}): Promise<void> {
    const data = { ...backupLifecycle.eventData(row), ...more };
    return append(tx, { type, accountId: row.account_id, resourceType: 'backup', resourceId: row.id, actor, data });
  }
}
