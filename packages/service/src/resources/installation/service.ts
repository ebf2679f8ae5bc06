import type { AccountCreate, ListedAccount } from '@hortus/contract/resources/installation';
import type { CreatedInvite } from '@hortus/contract/resources/members';
import { ACCOUNTS_TOPIC } from '../../identity/authenticator.ts';
import { actorOf, type Plan, type Principal } from '../../identity/principal.ts';
import type { SendAccountMail } from '../../mail/account-mail.ts';
import { append } from '../../outbox/append.ts';
import { notFound } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { iso } from '../../records/time.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { invite } from '../members/public.ts';
import { type AccountRow, accountById, accountList, addAccount, setPlan } from './store.ts';

export interface InstallationDeps {
  readonly reader: Queries;
  readonly pages: Pages;
  readonly publicUrl: string;
  readonly mail: SendAccountMail;
}

/** Lets an admin list accounts, create them and set their plans. */
export class Installation {
  readonly #deps: InstallationDeps;
  constructor(deps: InstallationDeps) {
    this.#deps = deps;
  }

  list(request: PageRequest): Promise<Page<ListedAccount>> {
    const { reader, pages } = this.#deps;
    return pages.read(request, accountList(reader, {}), recordOf);
  }

  async create(
    tx: Tx,
    principal: Principal,
    { name, plan = 'free', owner_email: email }: AccountCreate,
  ): Promise<{ account: ListedAccount; invite: CreatedInvite }> {
    const account = { id: newId('account'), name, plan, created_at: tx.now };
    await addAccount(tx, account);
    const actor = actorOf(principal);
    await audit(tx, 'audit.account_created', principal, account.id, { name, plan });
    const { publicUrl, mail } = this.#deps;
    const invited = await invite(tx, {
      accountId: account.id,
      actor,
      publicUrl,
      mail,
      email,
      role: 'owner',
      field: 'owner_email',
      // The account is new, so there are no sessions to end.
      mayEnd: () => {},
    });
    return { account: recordOf({ ...account, users: 0 }), invite: invited };
  }

  async setPlan(tx: Tx, principal: Principal, id: string, plan: Plan): Promise<ListedAccount> {
    const row = await accountById(tx, id);
    if (!row) throw notFound('account');
    await setPlan(tx, id, plan);
    tx.notify(ACCOUNTS_TOPIC, id);
    await audit(tx, 'audit.plan_changed', principal, id, { before: row.plan, after: plan });
    return recordOf({ ...row, plan });
  }
}

const recordOf = ({ id, name, plan, users, created_at }: AccountRow): ListedAccount => ({
  id,
  name,
  plan,
  users,
  created_at: iso(created_at),
});

/** Appends to the audit list of the affected account. The admin belongs to another account and is not named there. */
const audit = (
  tx: Tx,
  type: `audit.${string}`,
  principal: Principal,
  accountId: string,
  data: Record<string, unknown>,
) =>
  append(tx, {
    type,
    accountId,
    resourceType: 'account',
    resourceId: accountId,
    actor: principal.accountId === accountId ? actorOf(principal) : null,
    data: { account_id: accountId, ...data },
  });
