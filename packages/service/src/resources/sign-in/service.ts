import type {
  Login,
  NewSession,
  PasswordChange,
  ProfileChange,
  Session,
  User,
} from '@hortus/contract/resources/sign-in';
import { normalEmail } from '../../identity/email.ts';
import type { LoginThrottle } from '../../identity/login-throttle.ts';
import { callerNetwork } from '../../identity/networks.ts';
import { checkNewPassword, type Passwords } from '../../identity/passwords.ts';
import type { Principal } from '../../identity/principal.ts';
import { endSession, type Origin, startSession } from '../../identity/sessions.ts';
import { deleteFirstLink } from '../../identity/store.ts';
import { newSessionTokens } from '../../identity/tokens.ts';
import { invalid, Problem, unauthorized } from '../../problem.ts';
import type { Quotas } from '../../quotas/quotas.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';
import { accountOf } from './accounts.ts';
import { setPassword } from './new-password.ts';
import { newSessionRecord, sessionRecord, userRecord } from './record.ts';
import { heldUser, rememberNetwork, renameUser, userById, userOnNetwork } from './store.ts';
import { auditUser } from './user-audit.ts';

export interface AccountDeps {
  readonly storage: Storage;
  readonly passwords: Passwords;
  readonly throttle: LoginThrottle;
  /** Shown with the account; omitted where quotas are not configured. */
  readonly quotas?: Pick<Quotas, 'usage'>;
}

export interface SignedIn {
  /** Value of the cookie. */
  readonly token: string;
  readonly expiresAt: number;
  readonly session: NewSession;
}

const WRONG = 'The email or the password is wrong.';

/** Handles login, logout, password changes, and reads of the caller's own session and account. */
export class Accounts {
  readonly #deps: AccountDeps;

  constructor(deps: AccountDeps) {
    this.#deps = deps;
  }

  async login({ email: input, password }: Login, { address, userAgent }: Origin): Promise<SignedIn> {
    const { storage, passwords, throttle } = this.#deps;
    const email = normalEmail(input);
    const { user, known } = await userOnNetwork(storage.reader, 'email', email, callerNetwork(address));
    const { right, failures } = await throttle.check({ address, email, known }, () =>
      passwords.verify(password, user?.password_hash, known),
    );
    if (!user || !right) {
      // Failures 1, 10, 100, …: a flood must not fill the audit list.
      if (user && /^10*$/.test(`${failures}`)) this.#mailFailure(user, address, failures);
      throw unauthorized(WRONG);
    }
    const tokens = newSessionTokens();
    return await storage.write(async (tx) => {
      const held = await heldUser(tx, user.id);
      // The password may have changed since it was verified.
      if (held?.password_hash !== user.password_hash) throw unauthorized(WRONG);
      const { expiresAt } = await startSession(tx, held, tokens, { address, userAgent });
      await deleteFirstLink(tx, held.id);
      await rememberNetwork(tx, held.id, callerNetwork(address));
      await audit(tx, 'audit.login', held, { address });
      const account = await accountOf(tx, held.account_id);
      const session = newSessionRecord(account, held, tokens);
      return { token: tokens.cookie.token, expiresAt, session };
    });
  }

  async logout(principal: Principal): Promise<void> {
    if (principal.kind !== 'session') return;
    await this.#deps.storage.write(async (tx) => {
      await endSession(tx, principal.id);
      await audit(tx, 'audit.logout', { id: principal.userId, account_id: principal.accountId }, {});
    });
  }

  async read(principal: Principal): Promise<Session> {
    const { reader } = this.#deps.storage;
    if (principal.kind === 'server') throw new Problem('FORBIDDEN', 'A server key has no account to read.');
    const account = await accountOf(reader, principal.accountId);
    const user = principal.userId === null ? undefined : await userById(reader, principal.userId);
    const session = sessionRecord(principal.kind, account, user, principal.permissions);
    const quotas = await this.#deps.quotas?.usage(reader, principal, Date.now());
    return quotas === undefined ? session : { ...session, quotas };
  }

  async changeProfile(tx: Tx, principal: Principal, { name }: ProfileChange): Promise<User> {
    if (principal.kind !== 'session') throw new Problem('FORBIDDEN', 'Only a signed-in user can change a profile.');
    const user = await renameUser(tx, principal.userId, name);
    if (!user) throw unauthorized();
    await audit(tx, 'audit.user_renamed', user, { name });
    return userRecord(user);
  }

  async changePassword(principal: Principal, change: PasswordChange, address: string): Promise<User> {
    const { storage, passwords, throttle } = this.#deps;
    if (principal.kind !== 'session') throw new Problem('FORBIDDEN', 'Only a signed-in user can change a password.');
    checkNewPassword('new_password', change.new_password);
    const { user, known } = await userOnNetwork(storage.reader, 'id', principal.userId, callerNetwork(address));
    if (!user) throw unauthorized();
    const wrong = invalid('current_password', 'is wrong.');
    // A stolen session must not bypass the login throttle.
    const { right } = await throttle.check({ address, email: user.email, known }, () =>
      passwords.verify(change.current_password, user.password_hash, known),
    );
    if (!right) throw wrong;
    const passwordHash = await passwords.hash(change.new_password);
    return await storage.write(async (tx) => {
      const held = await heldUser(tx, user.id);
      if (held?.password_hash !== user.password_hash) throw wrong;
      await setPassword(tx, held.id, passwordHash, principal.id);
      await audit(tx, 'audit.password_changed', held, { address });
      return userRecord(held);
    });
  }

  /**
   * Writes the audit entry in the background, so that response time does not reveal whether the email exists. A failure
   * to write is ignored: the database is down, and every other request shows that.
   */
  #mailFailure(user: Row<'users'>, address: string, attempts: number): void {
    this.#deps.storage
      .write((tx) => audit(tx, 'audit.login_failed', user, { address, attempts }))
      .catch(() => undefined);
  }
}

type AuditType =
  | 'audit.login'
  | 'audit.login_failed'
  | 'audit.logout'
  | 'audit.password_changed'
  | 'audit.user_renamed';

/** A wrong password proves no identity, so a failed login has no actor. */
const audit = (
  tx: Tx,
  type: AuditType,
  user: Pick<Row<'users'>, 'id' | 'account_id'>,
  data: Record<string, unknown>,
): Promise<void> => auditUser(tx, type, user, type === 'audit.login_failed' ? null : user.id, data);
