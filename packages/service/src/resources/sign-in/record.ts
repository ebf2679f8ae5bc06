import type { Account, NewSession, Session, User } from '@hortus/contract/resources/sign-in';
import type { SessionTokens } from '../../identity/tokens.ts';
import { permissionsOf } from '../../identity/user-permissions.ts';
import { iso } from '../../records/time.ts';
import type { Row } from '../../storage/tables.ts';

/** Maps rows to the shapes of the contract. */

export const userRecord = (user: Row<'users'>): User => ({
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  admin: user.admin === 1,
  granted_permissions: JSON.parse(user.granted) as string[],
  created_at: iso(user.created_at),
});

const accountRecord = ({ id, name, plan }: Row<'accounts'>): Account => ({ id, name, plan });

export const sessionRecord = (
  kind: Session['kind'],
  account: Row<'accounts'>,
  user: Row<'users'> | undefined,
  permissions: readonly string[],
): Session => ({
  kind,
  user: user ? userRecord(user) : null,
  account: accountRecord(account),
  permissions: [...permissions],
});

/** The answer that begins a session: the only one with the page token. */
export const newSessionRecord = (
  account: Row<'accounts'>,
  user: Row<'users'>,
  { page }: SessionTokens,
): NewSession => ({
  ...sessionRecord('session', account, user, permissionsOf(user)),
  page_token: page.token,
});
