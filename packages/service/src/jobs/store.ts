import { sql } from 'kysely';
import { countUpTo } from '../storage/count-up-to.ts';
import { claiming, forUpdate } from '../storage/locking.ts';
import { statement } from '../storage/statement.ts';
import type { Queries, Tx } from '../storage/storage.ts';
import type { Row } from '../storage/tables.ts';

export type JobRow = Row<'jobs'>;
type JobToInsert = Pick<JobRow, 'id' | 'kind' | 'key' | 'payload' | 'run_at' | 'created_at'>;

/** A literal instead of a parameter, so that the databases can use a partial index. */
const alive = sql.lit<0>(0);

const rowOf = (p: JobToInsert) => ({
  id: p.id,
  kind: p.kind,
  key: p.key,
  payload: p.payload,
  run_at: p.run_at,
  attempts: 0,
  lease_owner: null,
  again_at: null,
  last_error: null,
  dead: 0 as const,
  created_at: p.created_at,
});

/** A waiting job with the key is moved forward; for a running one, the request is stored in `again_at`. */
export const insertJob = statement<JobToInsert>((db, p) =>
  db
    .insertInto('jobs')
    .values(rowOf(p))
    .onConflict((clash) =>
      clash
        .columns(['kind', 'key'])
        .where('key', 'is not', null)
        .where('dead', '=', alive)
        .doUpdateSet((set) => ({
          run_at: set
            .case()
            .when(set.and([set('jobs.lease_owner', 'is', null), set('excluded.run_at', '<', set.ref('jobs.run_at'))]))
            .then(set.ref('excluded.run_at'))
            .else(set.ref('jobs.run_at'))
            .end(),
          again_at: set
            .case()
            .when(
              set.and([
                set('jobs.lease_owner', 'is not', null),
                set.or([set('jobs.again_at', 'is', null), set('excluded.run_at', '<', set.ref('jobs.again_at'))]),
              ]),
            )
            .then(set.ref('excluded.run_at'))
            .else(set.ref('jobs.again_at'))
            .end(),
        })),
    ),
);

/** Inserts a job unless there is one with the key, which keeps its time. */
export const insertJobIfMissing = statement<JobToInsert>((db, p) =>
  db
    .insertInto('jobs')
    .values(rowOf(p))
    .onConflict((clash) =>
      clash.columns(['kind', 'key']).where('key', 'is not', null).where('dead', '=', alive).doNothing(),
    ),
);

type NextJob = Pick<JobRow, 'kind' | 'run_at' | 'lease_owner'>;

const nextOfKind = statement<{ kind: string }, NextJob>((db, p) =>
  db
    .selectFrom('jobs')
    .select(['kind', 'run_at', 'lease_owner'])
    .where('dead', '=', alive)
    .where('kind', '=', p.kind)
    .orderBy('run_at')
    .limit(1),
);

/**
 * Returns when the next job of each kind may be claimed. One index lookup per kind, regardless of the number of jobs.
 */
export async function nextOfKinds(queries: Queries, kinds: Iterable<string>): Promise<NextJob[]> {
  const next: NextJob[] = [];
  for (const kind of kinds) next.push(...(await nextOfKind(queries, { kind })));
  return next;
}

/** Counts jobs of a kind that are due since a time, up to a limit. */
export const countDue = (queries: Queries, kind: string, since: number, atMost: number): Promise<number> =>
  countUpTo(
    queries,
    queries.db
      .selectFrom('jobs')
      .select('id')
      .where('dead', '=', alive)
      .where('kind', '=', kind)
      .where('run_at', '<=', since),
    atMost,
  );

/** Claims due jobs of a kind, including those whose lease has expired. */
export async function claimJobs(
  tx: Tx,
  claim: { kind: string; max: number; owner: string; until: number },
): Promise<JobRow[]> {
  const due = tx.db
    .selectFrom('jobs')
    .select('id')
    .where('dead', '=', alive)
    .where('kind', '=', claim.kind)
    .where('run_at', '<=', tx.now)
    .orderBy('run_at')
    .limit(claim.max);
  const ids = (await claiming(tx, due).execute()).map((row) => row.id);
  if (ids.length === 0) return [];
  return await tx.db
    .updateTable('jobs')
    .set((set) => ({ lease_owner: claim.owner, run_at: claim.until, attempts: set('attempts', '+', 1) }))
    .where('id', 'in', ids)
    .returningAll()
    .execute();
}

/** Extends leases and returns those that are still owned. */
export const extendLeases = (
  tx: Tx,
  leases: { ids: readonly string[]; owners: readonly string[]; until: number },
): Promise<{ id: string; lease_owner: string | null }[]> =>
  tx.db
    .updateTable('jobs')
    .set({ run_at: leases.until })
    .where('id', 'in', leases.ids)
    .where('lease_owner', 'in', leases.owners)
    .returning(['id', 'lease_owner'])
    .execute();

/** Locks and returns the job if it still belongs to this owner. */
export const lockOwned = (tx: Tx, id: string, owner: string): Promise<JobRow | undefined> =>
  forUpdate(
    tx,
    tx.db.selectFrom('jobs').selectAll().where('id', '=', id).where('lease_owner', '=', owner),
  ).executeTakeFirst();

export const deleteJob = statement<{ id: string }>((db, p) => db.deleteFrom('jobs').where('id', '=', p.id));

/** Ends a lease and sets the next state of the job. */
export const freeJob = statement<Pick<JobRow, 'id' | 'run_at' | 'attempts' | 'last_error' | 'dead'>>((db, p) =>
  db
    .updateTable('jobs')
    .set({
      lease_owner: null,
      again_at: null,
      run_at: p.run_at,
      attempts: p.attempts,
      last_error: p.last_error,
      dead: p.dead,
    })
    .where('id', '=', p.id),
);
