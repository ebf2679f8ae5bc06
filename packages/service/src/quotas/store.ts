import type { QuotaName } from '@hortus/contract/resources/quotas';
import { type Expression, type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Plan } from '../identity/principal.ts';
import { type Slots, shapedStatement } from '../storage/statement.ts';
import type { Queries, Tx } from '../storage/storage.ts';
import type { Tables } from '../storage/tables.ts';

/** Queries of quotas that are counted by rows; stored bytes have a counter. */
const counted = {
  servers: (db: Kysely<Tables>, accountId: Expression<string>) =>
    db.selectFrom('servers').select('id').where('account_id', '=', accountId).where('deleted_at', 'is', null),
  definitions: (db: Kysely<Tables>, accountId: Expression<string>) =>
    db
      .selectFrom('definitions')
      .select('id')
      .where('account_id', '=', accountId)
      // A literal, so that the databases use the partial index without archived rows.
      .where('status', '<>', sql.lit('archived' as const))
      .where('test_id', 'is', null),
  keys: (db: Kysely<Tables>, accountId: Expression<string>, now: Expression<number>) =>
    db
      .selectFrom('api_keys')
      .select('id')
      .where('account_id', '=', accountId)
      .where('revoked_at', 'is', null)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)])),
  webhooks: (db: Kysely<Tables>, accountId: Expression<string>) =>
    db.selectFrom('webhook_endpoints').select('id').where('account_id', '=', accountId),
  templates: (db: Kysely<Tables>, accountId: Expression<string>) =>
    db.selectFrom('templates').select('id').where('owner', '=', accountId),
  connections: (db: Kysely<Tables>, accountId: Expression<string>) =>
    db.selectFrom('connections').select('id').where('account_id', '=', accountId),
};
export type Counted = keyof typeof counted;
const countedNames = Object.keys(counted) as Counted[];

interface Counting {
  readonly accountId: string;
  readonly name: Counted;
  readonly now: number;
  readonly atMost: number;
}

const counting = (db: Kysely<Tables>, { accountId, name, now, atMost }: Slots<Counting, 'name'>) =>
  db
    .selectFrom((counted[name](db, accountId, now) as Some).limit(atMost).as('some'))
    .select((eb) => eb.fn.countAll<number>().as('total'));

const used = shapedStatement<Counting, { total: number }, 'name'>(counting, ['name']);

type Some = SelectQueryBuilder<Tables, 'servers', { id: string }>;

export const countUsed = async (
  queries: Queries,
  accountId: string,
  name: Counted,
  max: Pick<Counting, 'now' | 'atMost'>,
): Promise<number> => (await used(queries, { accountId, name, ...max }))[0]?.total ?? 0;

/**
 * Prevents other transactions of the account from counting until this one ends. Inserts with a foreign key to the
 * account are not blocked. SQLite has one writer, so nothing needs to be locked there.
 */
export async function holdAccount(tx: Tx, accountId: string): Promise<void> {
  if (tx.engine !== 'postgres') return;
  await tx.db.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().execute();
}

export async function planOf(queries: Queries, accountId: string): Promise<Plan> {
  const row = await queries.db.selectFrom('accounts').select('plan').where('id', '=', accountId).executeTakeFirst();
  return row?.plan ?? 'free';
}

/** Adds to the number of stored bytes and returns the total. */
export async function addBytes(tx: Tx, accountId: string, bytes: number): Promise<number> {
  const { bytes: total } = await tx.db
    .insertInto('stored_output')
    .values({ account_id: accountId, bytes })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet((eb) => ({
        bytes: eb('stored_output.bytes', '+', eb.ref('excluded.bytes')),
      })),
    )
    .returning('bytes')
    .executeTakeFirstOrThrow();
  return total;
}

const storedBytes = (db: Kysely<Tables>, accountId: Expression<string>) =>
  db.selectFrom('stored_output').select('bytes').where('account_id', '=', accountId);

type Used = Record<QuotaName, number>;

const allUsed = shapedStatement<Omit<Counting, 'name'>, Used>(
  (db, of) =>
    db.selectNoFrom([
      storedBytes(db, of.accountId).as('output_bytes'),
      ...countedNames.map((name) => counting(db, { ...of, name }).as(name)),
    ]) as never,
);

/** Returns what an account uses of each quota, in one round trip. */
export async function usedOf(queries: Queries, accountId: string, max: Pick<Counting, 'now' | 'atMost'>) {
  const [row] = await allUsed(queries, { accountId, ...max });
  return { ...row, output_bytes: Math.max(0, row?.output_bytes ?? 0) } as Used;
}
