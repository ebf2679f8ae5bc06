import { shapedStatement, statement } from '../../../storage/statement.ts';
import type { Queries } from '../../../storage/storage.ts';
import { archived, type DefinitionRow } from '../store.ts';

export type BoundRow = Pick<DefinitionRow, 'id' | 'instance_uid' | 'server_id'> & {
  readonly target_id: string;
  readonly need: string;
};

const bound = shapedStatement<{ targetIds: readonly string[]; max: number }, BoundRow>((db, { targetIds, max }) =>
  db
    .selectFrom(
      db
        .selectFrom('revision_bindings')
        .innerJoin('definitions', (join) =>
          join
            .onRef('definitions.id', '=', 'revision_bindings.definition_id')
            .onRef('definitions.current_revision', '=', 'revision_bindings.number'),
        )
        .select(['definitions.id', 'definitions.instance_uid', 'definitions.server_id'])
        .select(['revision_bindings.target_id', 'revision_bindings.need'])
        .select(({ fn }) =>
          fn
            .agg<number>('row_number')
            .over((rows) => rows.partitionBy('revision_bindings.target_id').orderBy('definitions.instance_uid'))
            .as('place'),
        )
        .where('revision_bindings.target_id', 'in', targetIds)
        .where('definitions.status', '<>', archived)
        .as('bound'),
    )
    .select(['id', 'instance_uid', 'server_id', 'target_id', 'need'])
    .where('place', '<=', max)
    .orderBy('instance_uid'),
);

/** Lists the definitions that are not archived and whose current revision is bound to a target, at most `max` for each. */
export const boundTo = async (queries: Queries, targetIds: readonly string[], max: number): Promise<BoundRow[]> =>
  targetIds.length === 0 ? [] : bound(queries, { targetIds, max });

/** Lists the templates of the definitions of an account that are not archived. */
export const templatesInUse = async (queries: Queries, accountId: string): Promise<string[]> =>
  (await inUse(queries, { accountId })).map(({ template_id }) => template_id);

const inUse = statement<{ accountId: string }, { template_id: string }>((db, p) =>
  db
    .selectFrom('definitions')
    .select('template_id')
    .distinct()
    .where('account_id', '=', p.accountId)
    .where('status', '<>', archived)
    .where('test_id', 'is', null),
);

const MAX_PROVIDERS = 1_000;

/** Lists the definitions with one of these templates that are not archived, newest first. */
export const unarchivedOf = async (
  queries: Queries,
  accountId: string,
  templateIds: readonly string[],
): Promise<DefinitionRow[]> => (templateIds.length === 0 ? [] : ofTemplates(queries, { accountId, templateIds }));

const ofTemplates = shapedStatement<{ accountId: string; templateIds: readonly string[] }, DefinitionRow>(
  (db, { accountId, templateIds }) =>
    db
      .selectFrom('definitions')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('status', '<>', archived)
      .where('test_id', 'is', null)
      .where('template_id', 'in', templateIds)
      .orderBy('id', 'desc')
      .limit(MAX_PROVIDERS),
);

const targets = statement<{ definitionId: string }, { target_id: string }>((db, p) =>
  db.selectFrom('revision_bindings').select('target_id').distinct().where('definition_id', '=', p.definitionId),
);

/** Lists the connections and definitions that any revision of a definition is bound to. */
export const boundTargets = async (queries: Queries, definitionId: string): Promise<string[]> =>
  (await targets(queries, { definitionId })).map(({ target_id }) => target_id);
