import { list } from '../../storage/lists.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row } from '../../storage/tables.ts';

export type AccountRow = Row<'accounts'> & { readonly users: number };

const counted = (db: Queries['db']) =>
  db
    .selectFrom('accounts')
    .selectAll('accounts')
    .select((account) =>
      account
        .selectFrom('users')
        .select((users) => users.fn.countAll<number>().as('total'))
        .whereRef('users.account_id', '=', 'accounts.id')
        .as('users'),
    );

const whole = (row: Row<'accounts'> & { users: number | null }): AccountRow => ({ ...row, users: Number(row.users) });

export const accountList = list<object, AccountRow>('accounts', {
  page: (db, _filter, { limit, offset }) =>
    counted(db).orderBy('accounts.id', 'desc').limit(limit).offset(offset) as never,
  all: (db) => db.selectFrom('accounts').select('id'),
});

export async function accountById(queries: Queries, id: string): Promise<AccountRow | undefined> {
  const row = await counted(queries.db).where('accounts.id', '=', id).executeTakeFirst();
  return row && whole(row);
}

export const addAccount = async (tx: Tx, account: NewRow<'accounts'>): Promise<void> =>
  void (await tx.db.insertInto('accounts').values(account).execute());

export const setPlan = async (tx: Tx, id: string, plan: AccountRow['plan']): Promise<void> =>
  void (await tx.db.updateTable('accounts').set({ plan }).where('id', '=', id).execute());
