import { allows } from '@hortus/contract/permissions';
import type { Recipe, RecipeDetail } from '@hortus/contract/resources/recipes';
import { type Principal, userOf } from '../../identity/principal.ts';
import { iso, isoOrNull } from '../../records/time.ts';
import type { Queries } from '../../storage/storage.ts';
import { specInput } from './examination.ts';
import { type RecipeHead, type RecipeRow, upvotedBy } from './store.ts';

export const isAdmin = (principal: Principal): boolean =>
  principal.kind !== 'server' && allows(principal.permissions, 'admin');

/** One vote per person across all keys; keys without a user vote for their account. */
export const voterOf = (principal: Principal): string => userOf(principal) ?? principal.accountId;

/** Others see approved recipes; the author and admins see them from the beginning. */
export const isVisible = (principal: Principal, row: RecipeHead): boolean =>
  row.status === 'approved' || row.account_id === principal.accountId || isAdmin(principal);

/** Recipes as seen by this caller. */
export async function recipeRecords(
  queries: Queries,
  principal: Principal,
  rows: readonly RecipeHead[],
): Promise<Recipe[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const upvoted = await upvotedBy(queries, ids, voterOf(principal));
  return rows.map((row) => recipeRecord(row, principal, upvoted.has(row.id)));
}

export async function recipeDetail(queries: Queries, principal: Principal, row: RecipeRow): Promise<RecipeDetail> {
  const [record] = await recipeRecords(queries, principal, [row]);
  return { ...(record as Recipe), spec: specInput(row), findings: JSON.parse(row.findings) };
}

const recipeRecord = (row: RecipeHead, { accountId }: Principal, upvoted: boolean): Recipe => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  description: row.description,
  author: row.author,
  mine: row.account_id === accountId,
  status: row.status,
  upvotes: row.upvotes,
  upvoted,
  valid: row.valid === 1,
  reason: row.reason,
  template_id: row.template_id,
  reviewed_at: isoOrNull(row.reviewed_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
