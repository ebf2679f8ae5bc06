import { sql } from 'kysely';
import type { Removal } from '../../retention/removal.ts';
import { removeByAge } from '../../storage/remove-by-age.ts';

export const removeIdempotencyRows: Removal = (tx, before, max) =>
  removeByAge(tx, 'idempotency', { before, max }, (upTo) =>
    tx.db.deleteFrom('idempotency').where('created_at', '<=', upTo).returning('key').execute(),
  );

/** Deletes the secrets of stored answers; the answers stay, so that repeating the request still creates nothing. */
export const removeReplaySecrets: Removal = (tx, before, max) =>
  removeByAge(tx, 'idempotency', { before, max, only: sql`secrets is not null` }, (upTo) =>
    tx.db
      .updateTable('idempotency')
      .set({ secrets: null })
      .where('secrets', 'is not', null)
      .where('created_at', '<=', upTo)
      .returning('key')
      .execute(),
  );
