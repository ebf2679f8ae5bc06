import { statement } from '../../../storage/statement.ts';
import type { Queries } from '../../../storage/storage.ts';
import { archived, type DefinitionRow } from '../store.ts';

type BoundRow = Pick<DefinitionRow, 'id' | 'instance_uid' | 'server_id'> & { readonly need: string };

const bound = statement<{ targetId: string; limit: number }, BoundRow>((db, p) =>
  db
    .selectFrom('revision_bindings')
    .innerJoin('definitions', (join) =>
      join
        .onRef('definitions.id', '=', 'revision_bindings.definition_id')
        .onRef('definitions.current_revision', '=', 'revision_bindings.number'),
    )
    .select(['definitions.id', 'definitions.instance_uid', 'definitions.server_id', 'revision_bindings.need'])
    .where('revision_bindings.target_id', '=', p.targetId)
    .where('definitions.status', '<>', archived)
    .orderBy('definitions.instance_uid')
    .limit(p.limit),
);

/** Lists the definitions that are not archived and whose current revision is bound to the target. */
export const boundTo = (queries: Queries, targetId: string, limit: number): Promise<BoundRow[]> =>
  bound(queries, { targetId, limit });

/** Lists the templates of the definitions of an account that are not archived. */
export const templatesInUse = async (queries: Queries, accountId: string): Promise<string[]> => {
  const rows = queries.db
    .selectFrom('definitions')
    .select('template_id')
    .distinct()
    .where('account_id', '=', accountId)
    .where('status', '<>', archived)
    .where('test_id', 'is', null);
  return (await rows.execute()).map(({ template_id }) => template_id);
};

const MOST_PROVIDERS = 1_000;

/** Lists the definitions with one of these templates that are not archived, newest first. */
export const unarchivedOf = async (
  queries: Queries,
  accountId: string,
  templateIds: readonly string[],
): Promise<DefinitionRow[]> =>
  templateIds.length === 0
    ? []
    : queries.db
        .selectFrom('definitions')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('status', '<>', archived)
        .where('test_id', 'is', null)
        .where('template_id', 'in', templateIds)
        .orderBy('id', 'desc')
        .limit(MOST_PROVIDERS)
        .execute();
