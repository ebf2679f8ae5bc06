import type { SelectQueryBuilder } from 'kysely';
import type { Queries } from './storage.ts';
import type { Tables } from './tables.ts';

/** Counts the rows that a query finds, but gives up beyond `atMost`: who needs the page does not wait for a million. */
export async function countUpTo<Found extends keyof Tables>(
  queries: Queries,
  found: SelectQueryBuilder<Tables, Found, object>,
  atMost: number,
): Promise<number> {
  const { total } = await queries.db
    .selectFrom(found.limit(atMost).as('some'))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}
