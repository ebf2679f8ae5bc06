import type { RuleKind, Thresholds } from '@hortus/contract/resources/notifications';
import { sql } from 'kysely';
import { findIn, listOf, lockIn, ofAccount } from '../../../storage/lists.ts';
import { statement } from '../../../storage/statement.ts';
import type { Queries, Tx } from '../../../storage/storage.ts';
import type { Row } from '../../../storage/tables.ts';

export type RuleRow = Row<'notification_rules'>;

/** A rule as the evaluation needs it. */
export interface Rule {
  readonly id: string;
  readonly accountId: string;
  readonly kind: RuleKind;
  readonly thresholds: Thresholds;
  /** Empty for all channels of the account. */
  readonly channelIds: readonly string[];
}

const ruleOf = (row: RuleRow): Rule => ({
  id: row.id,
  accountId: row.account_id,
  kind: row.kind,
  thresholds: JSON.parse(row.thresholds),
  channelIds: JSON.parse(row.channel_ids),
});

export const ruleList = listOf('notification_rules', ofAccount);

export const findRule = findIn('notification_rules');
export const lockRule = lockIn('notification_rules');

export const insertRules = async (tx: Tx, rows: readonly RuleRow[]): Promise<void> =>
  void (await tx.db.insertInto('notification_rules').values(rows).execute());

export async function updateRule(tx: Tx, row: RuleRow, change: Partial<RuleRow>): Promise<RuleRow> {
  const columns = { ...change, updated_at: tx.now };
  await tx.db.updateTable('notification_rules').set(columns).where('id', '=', row.id).execute();
  return { ...row, ...columns };
}

export const deleteRule = (tx: Tx, id: string) => tx.db.deleteFrom('notification_rules').where('id', '=', id).execute();

const rules = statement<{ accountId: string }, RuleRow>((db, p) =>
  db.selectFrom('notification_rules').selectAll().where('account_id', '=', p.accountId).orderBy('id'),
);

export const rulesOf = (queries: Queries, accountId: string): Promise<RuleRow[]> => rules(queries, { accountId });

/** Inlined instead of bound, so that the engines can use the partial index. */
const active = sql.lit<'active'>('active');

/** Active rules of some kinds; of some accounts, or of all. */
export async function activeRules(
  queries: Queries,
  kinds: readonly RuleKind[],
  accountIds?: readonly string[],
): Promise<Rule[]> {
  let found = queries.db
    .selectFrom('notification_rules')
    .selectAll()
    .where('kind', 'in', kinds)
    .where('status', '=', active);
  if (accountIds !== undefined) found = found.where('account_id', 'in', accountIds);
  return (await found.execute()).map(ruleOf);
}

/** Returns false if the account has its rules already. */
export async function claimAccount(tx: Tx, accountId: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx.db
    .insertInto('notification_accounts')
    .values({ account_id: accountId, events_seq: 0 })
    .onConflict((clash) => clash.doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

const known = statement<{ accountId: string }, { account_id: string }>((db, p) =>
  db.selectFrom('notification_accounts').select('account_id').where('account_id', '=', p.accountId),
);

export const hasRules = async (queries: Queries, accountId: string): Promise<boolean> =>
  (await known(queries, { accountId })).length > 0;

/** Accounts that have no preset rules yet, a few at a time. */
export const accountsWithoutRules = async (queries: Queries, max: number): Promise<string[]> =>
  (
    await queries.db
      .selectFrom('accounts')
      .leftJoin('notification_accounts', 'notification_accounts.account_id', 'accounts.id')
      .select('accounts.id')
      .where('notification_accounts.account_id', 'is', null)
      .limit(max)
      .execute()
  ).map(({ id }) => id);

export async function lockCursor(tx: Tx, accountId: string): Promise<number> {
  const row = await tx.db
    .updateTable('notification_accounts')
    .set((set) => ({ events_seq: set.ref('events_seq') }))
    .where('account_id', '=', accountId)
    .returning('events_seq')
    .executeTakeFirst();
  return Number(row?.events_seq ?? 0);
}

export const saveCursor = (tx: Tx, accountId: string, events_seq: number) =>
  tx.db.updateTable('notification_accounts').set({ events_seq }).where('account_id', '=', accountId).execute();
