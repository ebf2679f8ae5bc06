import type { Binding } from '@hortus/contract/resources/definition-records';
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import { list } from '../../storage/lists.ts';
import { forUpdate } from '../../storage/locking.ts';
import { found, hasName, type NameFilter, preparedSearch } from '../../storage/name-search.ts';
import { type Slots, shapedStatement, statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row, Tables } from '../../storage/tables.ts';

export type DefinitionRow = Row<'definitions'>;
export type RevisionRow = Row<'revisions'>;
export type SecretRow = Row<'definition_secrets'>;

/** A definition with the values of its current revision. */
export type CurrentRow = DefinitionRow &
  Pick<RevisionRow, 'spec_hash' | 'profile' | 'variant' | 'inputs' | 'secret_inputs' | 'bindings' | 'overrides'>;

export interface DefinitionFilter extends NameFilter {
  readonly accountId: string;
  readonly serverId?: string | undefined;
  readonly tenantId?: string | undefined;
  /** Defaults to all but archived. */
  readonly status?: DefinitionRow['status'] | 'all' | undefined;
}

/** Inlined instead of bound, so that the engines can use the partial index. */
export const archived = sql.lit('archived' as const);

const matching =
  (filter: Slots<DefinitionFilter, 'status'>) =>
  (eb: ExpressionBuilder<Tables, 'definitions'>): Expression<SqlBool> =>
    eb.and([
      eb('definitions.account_id', '=', filter.accountId),
      eb('definitions.test_id', 'is', null),
      ...(filter.serverId === undefined ? [] : [eb('definitions.server_id', '=', filter.serverId)]),
      ...(filter.tenantId === undefined ? [] : [eb('definitions.tenant_id', '=', filter.tenantId)]),
      ...(filter.match === undefined ? [] : [eb('definitions.id', 'in', found(filter.match))]),
      ...(filter.q === undefined ? [] : [hasName('definitions', filter.q)]),
      ...statusIn(eb, filter.status),
    ]);

const statusIn = (eb: ExpressionBuilder<Tables, 'definitions'>, status: DefinitionFilter['status']) => {
  if (status === 'all') return [];
  return [status === undefined ? eb('definitions.status', '<>', archived) : eb('definitions.status', '=', status)];
};

const current = (db: Kysely<Tables>) =>
  db
    .selectFrom('definitions')
    .innerJoin('revisions', (join) =>
      join
        .onRef('revisions.definition_id', '=', 'definitions.id')
        .onRef('revisions.number', '=', 'definitions.current_revision'),
    )
    .selectAll('definitions')
    .select(['revisions.spec_hash', 'revisions.profile', 'revisions.variant', 'revisions.inputs'])
    .select(['revisions.secret_inputs', 'revisions.bindings', 'revisions.overrides']);

export const definitionsOf = list<DefinitionFilter, CurrentRow, 'status'>('definitions', {
  page: (db, filter, { limit, offset }) =>
    current(db).where(matching(filter)).orderBy('definitions.id', 'desc').limit(limit).offset(offset),
  // Skips ids alone. Costs a sixth more at the beginning of the list.
  deepPage: (db, filter, { limit, offset }) => {
    const ids = db.selectFrom('definitions').select('definitions.id').where(matching(filter));
    return current(db)
      .where('definitions.id', 'in', ids.orderBy('definitions.id', 'desc').limit(limit).offset(offset))
      .orderBy('definitions.id', 'desc');
  },
  all: (db, filter) => db.selectFrom('definitions').select('id').where(matching(filter)),
  decidedBy: ['status'],
  prepare: preparedSearch,
});

const currentById = statement<{ id: string; accountId: string }, CurrentRow>((db, p) =>
  current(db).where('definitions.id', '=', p.id).where('definitions.account_id', '=', p.accountId),
);

export const findDefinition = async (
  queries: Queries,
  accountId: string,
  id: string,
): Promise<CurrentRow | undefined> => (await currentById(queries, { id, accountId }))[0];

/** Whether a definition is archived, of whatever account. */
export const isArchived = async (queries: Queries, id: string): Promise<boolean> =>
  (await queries.db.selectFrom('definitions').select('status').where('id', '=', id).executeTakeFirst())?.status ===
  'archived';

/** Finds the name and server of a definition in any state. */
export const findName = (queries: Queries, accountId: string, id: string) =>
  queries.db
    .selectFrom('definitions')
    .select(['name', 'server_id', 'test_id'])
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();

/** Lists the isolated copies of these accounts, archived ones included. */
export const copiesOf = async (queries: Queries, accountIds: readonly string[]): Promise<string[]> => {
  const rows = queries.db
    .selectFrom('definitions')
    .select('id')
    .where('account_id', 'in', accountIds)
    .where('copy_of', 'is not', null);
  return (await rows.execute()).map(({ id }) => id);
};

export const lockDefinition = (tx: Tx, accountId: string, id: string): Promise<DefinitionRow | undefined> =>
  forUpdate(
    tx,
    tx.db.selectFrom('definitions').selectAll().where('id', '=', id).where('account_id', '=', accountId),
  ).executeTakeFirst();

export const findUnarchived = (
  queries: Queries,
  accountId: string,
  instanceUid: string,
): Promise<DefinitionRow | undefined> =>
  queries.db
    .selectFrom('definitions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('instance_uid', '=', instanceUid)
    .where('status', '<>', archived)
    .executeTakeFirst();

/** Includes archived definitions: names on servers are never reused. */
export const findByContainerName = (
  queries: Queries,
  accountId: string,
  name: string,
): Promise<DefinitionRow | undefined> =>
  queries.db
    .selectFrom('definitions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('container_name', '=', name)
    .executeTakeFirst();

/** Separate from the status: a success that arrives after archiving counts once the definition is reactivated. */
export const setSucceeded = (tx: Tx, id: string) =>
  tx.db.updateTable('definitions').set({ succeeded_at: tx.now, updated_at: tx.now }).where('id', '=', id).execute();

/** Counts definitions that are not archived. */
export async function countDefinitionsOn(queries: Queries, serverId: string): Promise<number> {
  const { total } = await queries.db
    .selectFrom('definitions')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('server_id', '=', serverId)
    .where('status', '<>', archived)
    .executeTakeFirstOrThrow();
  return total;
}

/** The same per server. */
export async function countDefinitionsOnEach(
  queries: Queries,
  serverIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (serverIds.length === 0) return new Map();
  const rows = await queries.db
    .selectFrom('definitions')
    .select('server_id')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('server_id', 'in', serverIds)
    .where('status', '<>', archived)
    .groupBy('server_id')
    .execute();
  return new Map(rows.map(({ server_id, total }) => [server_id, total]));
}

/** Lists the current revisions of the definitions on a server that are not archived. */
export const currentRevisionsOn = (queries: Queries, serverId: string) =>
  queries.db
    .selectFrom('definitions')
    .select(['id as definition_id', 'current_revision as revision'])
    .where('server_id', '=', serverId)
    .where('status', '<>', archived)
    .execute();

export const containerNamesOn = async (queries: Queries, serverId: string): Promise<string[]> => {
  const rows = await queries.db
    .selectFrom('definitions')
    .select('container_name')
    .where('server_id', '=', serverId)
    .where('status', '<>', archived)
    .execute();
  return rows.map(({ container_name }) => container_name);
};

/** Locks in the order of ids, as all callers do, to avoid deadlocks. */
const lockUnarchived = (tx: Tx, column: 'server_id' | 'tenant_id', id: string): Promise<DefinitionRow[]> =>
  forUpdate(
    tx,
    tx.db.selectFrom('definitions').selectAll().where(column, '=', id).where('status', '<>', archived).orderBy('id'),
  ).execute();

export const lockOfServer = (tx: Tx, serverId: string) => lockUnarchived(tx, 'server_id', serverId);

export const lockDefinitionsOfTenant = (tx: Tx, tenantId: string) => lockUnarchived(tx, 'tenant_id', tenantId);

const countedByTenant = shapedStatement<{ tenantIds: readonly string[] }, { tenant_id: string | null; total: number }>(
  (db, { tenantIds }) =>
    db
      .selectFrom('definitions')
      .select('tenant_id')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .where('tenant_id', 'in', tenantIds)
      .where('status', '<>', archived)
      .groupBy('tenant_id'),
);

/** Counts definitions that are not archived, per tenant. */
export async function countDefinitionsOfTenants(
  queries: Queries,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string | null, number>> {
  const rows = await countedByTenant(queries, { tenantIds });
  return new Map(rows.map(({ tenant_id, total }) => [tenant_id, total]));
}

type NewRevision = Omit<RevisionRow, 'changed_secrets'> & Partial<Pick<RevisionRow, 'changed_secrets'>>;

const addRevision = statement<RevisionRow>((db, p) =>
  db.insertInto('revisions').values({
    definition_id: p.definition_id,
    number: p.number,
    template_id: p.template_id,
    spec_hash: p.spec_hash,
    profile: p.profile,
    variant: p.variant,
    inputs: p.inputs,
    secret_inputs: p.secret_inputs,
    changed_secrets: p.changed_secrets,
    bindings: p.bindings,
    overrides: p.overrides,
    created_by: p.created_by,
    created_at: p.created_at,
  }),
);

export async function insertRevision(tx: Tx, row: NewRevision): Promise<void> {
  await addRevision(tx, { changed_secrets: '[]', ...row });
  if (row.bindings === null) return;
  const { definition_id, number } = row;
  const bindings = Object.entries(JSON.parse(row.bindings) as Record<string, Binding>);
  const targets = bindings.flatMap(([need, binding]) => {
    const target_id = binding.connection ?? binding.definition_id;
    return target_id === undefined ? [] : { definition_id, number, need, target_id };
  });
  if (targets.length > 0) await tx.db.insertInto('revision_bindings').values(targets).execute();
}

/** Records a revision that exists but is not current. */
export const setLastRevision = (tx: Tx, id: string, number: number) =>
  tx.db.updateTable('definitions').set({ last_revision: number }).where('id', '=', id).execute();

const revisionByNumber = statement<{ definitionId: string; number: number }, RevisionRow>((db, p) =>
  db.selectFrom('revisions').selectAll().where('definition_id', '=', p.definitionId).where('number', '=', p.number),
);
export const findRevision = async (
  queries: Queries,
  definitionId: string,
  number: number,
): Promise<RevisionRow | undefined> => (await revisionByNumber(queries, { definitionId, number }))[0];

/** Returns the number of the newest revision that existed at a time; undefined if there was none. */
export const newestRevisionAt = async (queries: Queries, definitionId: string, at: number) => {
  const newest = queries.db
    .selectFrom('revisions')
    .select('number')
    .where('definition_id', '=', definitionId)
    .where('created_at', '<=', at);
  return (await newest.orderBy('number', 'desc').limit(1).executeTakeFirst())?.number;
};

/** Whether any revision of a definition of this account uses the template. */
export const hasRevisionOf = async (queries: Queries, accountId: string, templateId: string): Promise<boolean> => {
  const found = queries.db
    .selectFrom('definitions')
    .innerJoin('revisions', 'revisions.definition_id', 'definitions.id')
    .select('definitions.id')
    .where('definitions.account_id', '=', accountId)
    .where('revisions.template_id', '=', templateId);
  return (await found.limit(1).execute()).length > 0;
};

const newestRevisions = statement<{ definitionId: string; limit: number; offset: number }, RevisionRow>((db, p) =>
  db
    .selectFrom('revisions')
    .selectAll()
    .where('definition_id', '=', p.definitionId)
    .orderBy('number', 'desc')
    .limit(p.limit)
    .offset(p.offset),
);

export const listRevisions = (queries: Queries, definitionId: string, limit: number, offset: number) =>
  newestRevisions(queries, { definitionId, limit, offset });

const setSecret = statement<NewRow<'definition_secrets'>>((db, p) =>
  db
    .insertInto('definition_secrets')
    .values({
      definition_id: p.definition_id,
      name: p.name,
      kind: p.kind,
      generator: p.generator ?? null,
      ciphertext: p.ciphertext ?? null,
      created_at: p.created_at,
      updated_at: p.updated_at,
    })
    .onConflict((conflict) =>
      conflict.columns(['definition_id', 'name']).doUpdateSet((eb) => ({
        ciphertext: eb.ref('excluded.ciphertext'),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    ),
);

export const writeSecret = async (tx: Tx, row: NewRow<'definition_secrets'>): Promise<void> =>
  void (await setSecret(tx, row));

export const removeSecret = (tx: Tx, definitionId: string, name: string) =>
  tx.db.deleteFrom('definition_secrets').where('definition_id', '=', definitionId).where('name', '=', name).execute();

const secretsById = statement<{ definitionId: string }, SecretRow>((db, p) =>
  db.selectFrom('definition_secrets').selectAll().where('definition_id', '=', p.definitionId).orderBy('name'),
);
export const listSecrets = (queries: Queries, definitionId: string): Promise<SecretRow[]> =>
  secretsById(queries, { definitionId });

/** Lists the secrets that users gave to the definitions of an account that are not archived. */
export const userSecretsOf = (queries: Queries, accountId: string): Promise<SecretRow[]> =>
  queries.db
    .selectFrom('definition_secrets')
    .innerJoin('definitions', 'definitions.id', 'definition_secrets.definition_id')
    .selectAll('definition_secrets')
    .where('definitions.account_id', '=', accountId)
    .where('definitions.status', '<>', archived)
    .where('definition_secrets.kind', '<>', 'generated')
    .execute();
