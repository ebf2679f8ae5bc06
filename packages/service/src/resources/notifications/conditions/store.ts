import { sql } from 'kysely';
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

/** Certificates that expire before a time, except those of released instances. */
export const certificatesUntil = (queries: Queries, until: number): Promise<CertificateRow[]> =>
  queries.db
    .selectFrom('certificates')
    .innerJoin('instances', 'instances.id', 'certificates.instance_id')
    .selectAll('certificates')
    .where('certificates.expires_at', '<', until)
    .where('instances.status', '<>', sql.lit('released' as const))
    .execute();
