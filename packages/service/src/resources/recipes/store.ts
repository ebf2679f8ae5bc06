import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { list } from '../../storage/lists.ts';
import { forUpdate } from '../../storage/locking.ts';
import { type Slots, shapedStatement, statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row, Tables } from '../../storage/tables.ts';

export type RecipeRow = Row<'recipes'>;

/** A recipe without its spec, which may be long. */
export type RecipeHead = Omit<RecipeRow, 'spec' | 'spec_form' | 'findings'>;

export interface RecipeFilter {
  readonly accountId?: string | undefined;
  readonly status?: RecipeRow['status'] | undefined;
  readonly order?: RecipeOrder;
}

export type RecipeOrder = 'newest' | 'oldest' | 'upvotes';

const matching =
  (filter: Slots<RecipeFilter, 'order'>) =>
  (eb: ExpressionBuilder<Tables, 'recipes'>): Expression<SqlBool> =>
    eb.and([
      ...(filter.accountId === undefined ? [] : [eb('account_id', '=', filter.accountId)]),
      ...(filter.status === undefined ? [] : [eb('status', '=', filter.status)]),
    ]);

const head = [
  'id',
  'account_id',
  'slug',
  'name',
  'description',
  'author',
  'valid',
  'status',
  'upvotes',
  'reason',
  'template_id',
  'reviewed_at',
  'created_at',
  'updated_at',
] as const;

export const recipeList = list<RecipeFilter, RecipeHead, 'order'>('recipes', {
  page: (db, filter, { limit, offset }) =>
    db
      .selectFrom('recipes')
      .select(head)
      .where(matching(filter))
      .$if(filter.order === 'upvotes', (query) => query.orderBy('upvotes', 'desc'))
      .orderBy('id', filter.order === 'oldest' ? 'asc' : 'desc')
      .limit(limit)
      .offset(offset),
  all: (db, filter) => db.selectFrom('recipes').select('id').where(matching(filter)),
  decidedBy: ['order'],
});

const byId = statement<{ id: string }, RecipeRow>((db, p) =>
  db.selectFrom('recipes').selectAll().where('id', '=', p.id),
);

export const findRecipe = async (queries: Queries, id: string): Promise<RecipeRow | undefined> =>
  (await byId(queries, { id }))[0];

export const lockRecipe = (tx: Tx, id: string): Promise<RecipeRow | undefined> =>
  forUpdate(tx, tx.db.selectFrom('recipes').selectAll().where('id', '=', id)).executeTakeFirst();

/** Finds the newest approved recipe or, if there is none, the newest of this account. */
export const findBySlug = async (queries: Queries, slug: string, accountId: string): Promise<RecipeRow | undefined> =>
  (await bySlug(queries, { slug, accountId }))[0];

const bySlug = statement<{ slug: string; accountId: string }, RecipeRow>((db, p) =>
  db
    .selectFrom('recipes')
    .selectAll()
    .where('slug', '=', p.slug)
    .where((eb) => eb.or([eb('status', '=', 'approved'), eb('account_id', '=', p.accountId)]))
    .orderBy((eb) =>
      eb
        .case()
        .when('status', '=', sql.lit('approved' as const))
        .then(0)
        .else(1)
        .end(),
    )
    .orderBy('id', 'desc')
    .limit(1),
);

/** Its upvotes are deleted by cascade. */
export const deleteRecipe = async (tx: Tx, id: string): Promise<void> =>
  void (await tx.db.deleteFrom('recipes').where('id', '=', id).execute());

/** Counts one vote per voter. */
export async function addUpvote(tx: Tx, recipe: RecipeRow, voter: string): Promise<RecipeRow> {
  const { numInsertedOrUpdatedRows } = await tx.db
    .insertInto('recipe_upvotes')
    .values({ recipe_id: recipe.id, voter, created_at: tx.now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (!numInsertedOrUpdatedRows) return recipe;
  const upvotes = recipe.upvotes + 1;
  await tx.db.updateTable('recipes').set({ upvotes }).where('id', '=', recipe.id).execute();
  return { ...recipe, upvotes };
}

const upvotes = shapedStatement<{ recipeIds: readonly string[]; voter: string }, { recipe_id: string }>(
  (db, { recipeIds, voter }) =>
    db.selectFrom('recipe_upvotes').select('recipe_id').where('recipe_id', 'in', recipeIds).where('voter', '=', voter),
);

/** Finds the recipes that this voter has upvoted. */
export async function upvotedBy(queries: Queries, recipeIds: readonly string[], voter: string): Promise<Set<string>> {
  const rows = await upvotes(queries, { recipeIds, voter });
  return new Set(rows.map(({ recipe_id }) => recipe_id));
}
