import type { Removal } from '../../retention/removal.ts';
import { removeByAge } from '../../storage/remove-by-age.ts';

/** How long a repeated DELETE gets the first answer. */
export const TOMBSTONE_DAYS = 30;

export const removeTombstones: Removal = (tx, before, max) =>
  removeByAge(tx, 'tombstones', { before, max }, (upTo) =>
    tx.db.deleteFrom('tombstones').where('created_at', '<=', upTo).returning('path').execute(),
  );
