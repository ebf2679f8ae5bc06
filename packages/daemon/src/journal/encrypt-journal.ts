import type { DatabaseSync } from 'node:sqlite';
import { isEncrypted, type JournalCipher } from './journal-cipher.ts';

/** Columns that may contain secrets: manifests, parameters and arguments of actions, and their output. */
const secretColumns = [
  { table: 'manifests', column: 'manifest', id: 'instance_uid' },
  { table: 'deployments', column: 'manifest', id: 'id' },
  { table: 'watches', column: 'former', id: 'instance_uid' },
  { table: 'executions', column: 'request', id: 'id' },
  { table: 'executions', column: 'outcome', id: 'id' },
] as const;

type SecretColumn = (typeof secretColumns)[number];

/** Binds a ciphertext to its row. */
export const placeOf = (
  { table, column }: { table: SecretColumn['table']; column: SecretColumn['column'] },
  id: string,
): string => `${table}.${column} of ${id}`;

/** Encrypts plaintext of earlier versions and erases it from the disk. */
export function encryptJournal(db: DatabaseSync, cipher: JournalCipher): void {
  db.exec('pragma secure_delete = on; begin immediate');
  try {
    for (const item of secretColumns) {
      const { table, column, id } = item;
      const rows = db.prepare(`select ${id} as id, ${column} as text from ${table} where ${column} is not null`).all();
      const update = db.prepare(`update ${table} set ${column} = ? where ${id} = ?`);
      for (const row of rows as { id: string; text: string }[])
        if (!isEncrypted(row.text)) update.run(cipher.encrypt(row.text, placeOf(item, row.id)), row.id);
    }
    db.exec('commit');
  } catch (error) {
    db.exec('rollback');
    throw error;
  }
  db.exec('vacuum; pragma wal_checkpoint(truncate)');
}
