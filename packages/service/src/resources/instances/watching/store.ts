import { sql } from 'kysely';
import type { Queries } from '../../../storage/storage.ts';

const watched = (queries: Queries) =>
  queries.db
    .selectFrom('instances')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .select(['instances.id', 'instances.account_id', 'instances.server_id', 'instances.definition_id'])
    .select(['instances.status', 'instances.health', 'instances.starts', 'definitions.name'])
    .where('definitions.test_id', 'is', null);

/** Instances that are unhealthy, failed or restarting, in all accounts. */
export const troubledInstances = (queries: Queries) =>
  watched(queries)
    .where((eb) =>
      eb.or([
        eb('instances.health', '=', sql.lit('unhealthy' as const)),
        eb('instances.status', 'in', [sql.lit('failed' as const), sql.lit('restarting' as const)]),
      ]),
    )
    .execute();

/** Instances that restarted without an order since a time, in all accounts. */
export const restartedSince = (queries: Queries, since: number) =>
  watched(queries)
    .where('instances.restarted_at', '>', since)
    .where('instances.status', '<>', sql.lit('released' as const))
    .execute();

export type WatchedInstance = Awaited<ReturnType<typeof troubledInstances>>[number];

export const statesOf = (queries: Queries, ids: readonly string[]) =>
  queries.db.selectFrom('instances').select(['id', 'status', 'health']).where('id', 'in', ids).execute();

/** Running instances with an HTTPS address, in all accounts, in the order of ids. */
export const httpsInstancesAfter = (queries: Queries, after: string, max: number) =>
  queries.db
    .selectFrom('instances')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .select(['instances.id', 'instances.account_id', 'instances.server_id', 'instances.url', 'definitions.name'])
    .where('instances.status', '=', sql.lit('running' as const))
    .where('instances.url', 'like', 'https://%')
    .where('instances.id', '>', after)
    .orderBy('instances.id')
    .limit(max)
    .execute();
