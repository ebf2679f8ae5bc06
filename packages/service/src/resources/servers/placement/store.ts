import { statement } from '../../../storage/statement.ts';
import type { Queries } from '../../../storage/storage.ts';
import type { ServerRow } from '../store.ts';

const columns = ['id', 'name', 'status', 'labels', 'daemon_platform', 'fingerprint', 'key_trusted'] as const;
export type CandidateRow = Pick<ServerRow, (typeof columns)[number]>;

const candidates = statement<{ accountId: string; after: string; limit: number }, CandidateRow>((db, p) =>
  db
    .selectFrom('servers')
    .select(columns)
    .where('account_id', '=', p.accountId)
    // A cluster cannot run everything that a server can, so a person chooses it.
    .where('kind', 'is', null)
    .where('deleted_at', 'is', null)
    .where('id', '>', p.after)
    .orderBy('id')
    .limit(p.limit),
);

/** Lists the servers of an account after an id, oldest first. */
export const candidatesAfter = (
  queries: Queries,
  accountId: string,
  after: string,
  limit: number,
): Promise<CandidateRow[]> => candidates(queries, { accountId, after, limit });
