import type { SelectQueryBuilder } from 'kysely';
import type { Queries } from './storage.ts';
import type { Tables } from './tables.ts';

/** Counts the rows of a query up to `atMost`, so that a page does not wait for the count of a million rows. */
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
