import { statement } from '../../storage/statement.ts';
import type { Row } from '../../storage/tables.ts';

/** Key of a tombstone: the path contains the id of the record, and the reader of a personal one. */
export interface Place {
  readonly account_id: string;
  readonly path: string;
}

export const findTombstone = statement<Place, Row<'tombstones'>>((db, p) =>
  db.selectFrom('tombstones').selectAll().where('account_id', '=', p.account_id).where('path', '=', p.path),
);

/** Keeps the newest deletion: a record may have been restored in between. */
export const writeTombstone = statement<Row<'tombstones'>>((db, p) =>
  db
    .insertInto('tombstones')
    .values({ account_id: p.account_id, path: p.path, response: p.response, created_at: p.created_at })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'path']).doUpdateSet((eb) => ({
        response: eb.ref('excluded.response'),
        created_at: eb.ref('excluded.created_at'),
      })),
    ),
);
