import type { Queries, Tx } from '../../../storage/storage.ts';
import type { Row } from '../../../storage/tables.ts';

export type CertificateRow = Row<'certificates'>;

export const saveCertificate = (tx: Tx, row: CertificateRow) =>
  tx.db
    .insertInto('certificates')
    .values(row)
    .onConflict((clash) => clash.column('instance_id').doUpdateSet(row))
    .execute();

/** Removes certificates of instances that were not checked since: they stopped, or have another address. */
export const forgetCertificates = (tx: Tx, before: number) =>
  tx.db.deleteFrom('certificates').where('checked_at', '<', before).execute();

export const certificatesUntil = (queries: Queries, until: number): Promise<CertificateRow[]> =>
  queries.db.selectFrom('certificates').selectAll().where('expires_at', '<', until).execute();
