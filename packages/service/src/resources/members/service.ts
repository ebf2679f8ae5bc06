import type { Permission } from '@hortus/contract/permissions';
import type {
  CreatedInvite,
  Invite,
  InviteAcceptance,
  InviteCreate,
  PasswordReset,
  ResetLink,
} from '@hortus/contract/resources/members';
import type { User } from '@hortus/contract/resources/sign-in';
import { ACCOUNTS_TOPIC } from '../../identity/authenticator.ts';
import { requireUnlimited } from '../../identity/delegation.ts';
import { checkNewPassword, type Passwords } from '../../identity/passwords.ts';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { endAllSessions, type Origin, startSession } from '../../identity/sessions.ts';
import { hashOf, newSessionToken, newSessionTokens } from '../../identity/tokens.ts';
import { permissionsOf } from '../../identity/user-permissions.ts';
import type { SendAccountMail } from '../../mail/account-mail.ts';
import { conflict, notFound, Problem } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { iso } from '../../records/time.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { accountOf, auditUser, newSessionRecord, type SignedIn, setPassword, userRecord } from '../sign-in/public.ts';
import { invite, inviteRecord } from './invites.ts';
import { resetMail } from './mails.ts';
import {
  addUser,
  deleteUser,
  endInvite,
  type InviteRow,
  inviteByHash,
  inviteList,
  keepReset,
  lockInvite,
  lockUsers,
  resetExists,
  setGranted,
  takeReset,
  type UserRow,
  userList,
} from './store.ts';

export interface MembersDeps {
  readonly storage: Storage;
  readonly pages: Pages;
  readonly passwords: Passwords;
  readonly publicUrl: string;
  readonly mail: SendAccountMail;
  readonly revokeKeysOf: (tx: Tx, principal: Principal, userId: string) => Promise<void>;
}

const RESET_LASTS_MS = 86_400_000;
const deadLink = () => new Problem('UNAUTHORIZED', 'This link is invalid, already used or expired. Ask for a new one.');

/** Manages the users and invites of an account. */
export class Members {
  readonly #deps: MembersDeps;
  constructor(deps: MembersDeps) {
    this.#deps = deps;
  }

  list({ accountId }: Principal, request: PageRequest): Promise<Page<User>> {
    const { storage, pages } = this.#deps;
    return pages.read(request, userList(storage.reader, { accountId }), userRecord);
  }

  async remove(tx: Tx, principal: Principal, id: string, keys: 'revoke' | 'keep'): Promise<User> {
    const users = await lockUsers(tx, principal.accountId);
    const user = this.#among(principal, users, id);
    if (user.role === 'owner' && users.filter(({ role }) => role === 'owner').length === 1)
      throw conflict('id', 'last_owner', 'the account would be left without an owner; invite another one first.');
    await endAllSessions(tx, id);
    if (keys === 'revoke') await this.#deps.revokeKeysOf(tx, principal, id);
    await deleteUser(tx, id);
    tx.notify(ACCOUNTS_TOPIC, principal.accountId);
    await auditUser(tx, 'audit.user_removed', user, actorOf(principal), { keys });
    return userRecord(user);
  }

  async grant(tx: Tx, principal: Principal, id: string, permissions: readonly Permission[]): Promise<User> {
    const user = this.#among(principal, await lockUsers(tx, principal.accountId), id);
    requireUnlimited(principal, permissions);
    if (user.role === 'owner') throw conflict('id', 'owner', 'owners have all permissions of the account.');
    const granted = JSON.stringify(permissions);
    await setGranted(tx, id, granted);
    tx.notify(ACCOUNTS_TOPIC, principal.accountId);
    await auditUser(tx, 'audit.user_permissions_changed', user, actorOf(principal), { permissions });
    return userRecord({ ...user, granted });
  }

  async resetPassword(tx: Tx, principal: Principal, id: string): Promise<ResetLink> {
    const user = this.#among(principal, await lockUsers(tx, principal.accountId), id);
    const token = newSessionToken();
    const expires_at = tx.now + RESET_LASTS_MS;
    const created_by = actorOf(principal);
    await keepReset(tx, { user_id: id, hash: token.hash, created_by, created_at: tx.now, expires_at });
    await auditUser(tx, 'audit.password_reset_ordered', user, created_by, {});
    const reset_url = `${this.#deps.publicUrl.replace(/\/$/, '')}/password-reset#${token.token}`;
    await this.#deps.mail(tx, resetMail(user, reset_url));
    return { user_id: id, token: token.token, reset_url, expires_at: iso(expires_at) };
  }

  async setPassword({ token, new_password }: PasswordReset): Promise<User> {
    const { storage, passwords } = this.#deps;
    checkNewPassword('new_password', new_password);
    // Hashing is expensive, so check the link first.
    if (!(await resetExists(storage.reader, hashOf(token), Date.now()))) throw deadLink();
    const passwordHash = await passwords.hash(new_password);
    return storage.write(async (tx) => {
      const reset = await takeReset(tx, hashOf(token));
      const user = reset && reset.expires_at > tx.now ? await setPassword(tx, reset.user_id, passwordHash) : undefined;
      if (!user) throw deadLink();
      await auditUser(tx, 'audit.password_reset', user, user.id, {});
      return userRecord(user);
    });
  }

  invites({ accountId }: Principal, request: PageRequest): Promise<Page<Invite>> {
    const { storage, pages } = this.#deps;
    const now = Date.now();
    return pages.read(request, inviteList(storage.reader, { accountId }), (row) => inviteRecord(row, now));
  }

  invite(tx: Tx, principal: Principal, body: InviteCreate): Promise<CreatedInvite> {
    const mayInvite = (role: InviteRow['role']) => requireUnlimited(principal, permissionsOf({ role, admin: 0 }));
    mayInvite(body.role ?? 'member');
    const { accountId } = principal;
    return invite(tx, {
      ...body,
      accountId,
      actor: actorOf(principal),
      publicUrl: this.#deps.publicUrl,
      mail: this.#deps.mail,
      field: 'email',
      mayEnd: mayInvite,
    });
  }

  async revokeInvite(tx: Tx, principal: Principal, id: string): Promise<Invite> {
    const row = await lockInvite(tx, principal.accountId, id);
    if (!row) throw notFound('invite');
    requireUnlimited(principal, permissionsOf({ role: row.role, admin: 0 }));
    if (row.outcome === 'accepted')
      throw conflict('id', 'accepted', 'the invite was accepted; remove the user instead.');
    return inviteRecord((await endInvite(tx, id, 'revoked')) ?? row, tx.now);
  }

  async accept({ token, password, name }: InviteAcceptance, origin: Origin): Promise<SignedIn> {
    const { storage, passwords } = this.#deps;
    checkNewPassword('password', password);
    const found = await inviteByHash(storage.reader, hashOf(token));
    if (!found || found.ended_at !== null || found.expires_at <= Date.now()) throw deadLink();
    const password_hash = await passwords.hash(password);
    const tokens = newSessionTokens();
    return storage.write(async (tx) => {
      const row = await endInvite(tx, found.id, 'accepted');
      if (!row || row.expires_at <= tx.now) throw deadLink();
      const user: UserRow = {
        id: newId('user'),
        account_id: row.account_id,
        email: row.email,
        name: name ?? null,
        password_hash,
        role: row.role,
        admin: 0,
        granted: '[]',
        created_at: tx.now,
        updated_at: tx.now,
      };
      if (!(await addUser(tx, user))) throw conflict('token', 'taken', 'a user with this email already exists.');
      const { expiresAt } = await startSession(tx, user, tokens, origin);
      await auditUser(tx, 'audit.invite_accepted', user, user.id, { invite_id: row.id });
      const account = await accountOf(tx, user.account_id);
      return { token: tokens.cookie.token, expiresAt, session: newSessionRecord(account, user, tokens) };
    });
  }

  /**
   * Finds a user. Resetting a password allows to sign in as that user, so the caller needs all permissions of the user,
   * without limits.
   */
  #among(principal: Principal, users: readonly UserRow[], id: string): UserRow {
    const user = users.find((user) => user.id === id);
    // Checked for unknown ids too: a removed user is answered from its tombstone.
    requireUnlimited(principal, permissionsOf(user ?? { role: 'member', admin: 0 }));
    if (!user) throw notFound('user');
    return user;
  }
}
