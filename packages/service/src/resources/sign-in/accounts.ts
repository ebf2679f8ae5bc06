import { unauthorized } from '../../problem.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';
import { accountById } from './store.ts';

/** Reads the account of an authenticated caller; throws UNAUTHORIZED if it no longer exists. */
export async function accountOf(queries: Queries, id: string): Promise<Row<'accounts'>> {
  const account = await accountById(queries, id);
  if (!account) throw unauthorized();
  return account;
}
