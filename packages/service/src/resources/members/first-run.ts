import type { FirstRun as FirstRunInput } from '@hortus/contract/resources/members';
import { normalEmail } from '../../identity/email.ts';
import { checkNewPassword, type Passwords } from '../../identity/passwords.ts';
import { type Origin, startSession } from '../../identity/sessions.ts';
import { FIRST_START } from '../../identity/store.ts';
import { hashOf, newSessionTokens } from '../../identity/tokens.ts';
import { conflict, Problem } from '../../problem.ts';
import type { Storage } from '../../storage/storage.ts';
import { accountOf, auditUser, newSessionRecord, type SignedIn, setPassword } from '../sign-in/public.ts';
import { introduceUser, resetExists, takeReset } from './store.ts';

export interface FirstRunDeps {
  readonly storage: Storage;
  readonly passwords: Passwords;
}

const deadLink = () =>
  new Problem(
    'UNAUTHORIZED',
    'This link is invalid, already used or expired. Sign in with the email and password that the first start printed.',
  );

/** Signs in the first owner with the link that the first start printed. */
export class FirstRun {
  readonly #deps: FirstRunDeps;
  constructor(deps: FirstRunDeps) {
    this.#deps = deps;
  }

  async begin({ token, name, email, password }: FirstRunInput, origin: Origin): Promise<SignedIn> {
    const { storage, passwords } = this.#deps;
    checkNewPassword('password', password);
    // Hashing is expensive, so check the link first.
    if (!(await resetExists(storage.reader, hashOf(token), Date.now()))) throw deadLink();
    const passwordHash = await passwords.hash(password);
    const tokens = newSessionTokens();
    return storage.write(async (tx) => {
      // Deleted on use: of two concurrent uses one gets the row.
      const link = await takeReset(tx, hashOf(token));
      if (!link || link.created_by !== FIRST_START || link.expires_at <= tx.now) throw deadLink();
      const user = await setPassword(tx, link.user_id, passwordHash);
      if (!user) throw deadLink();
      const introduced = { name, email: email === undefined ? user.email : normalEmail(email) };
      if (!(await introduceUser(tx, user.id, introduced)))
        throw conflict('email', 'taken', 'a user with this email already exists.');
      const { expiresAt } = await startSession(tx, user, tokens, origin);
      await auditUser(tx, 'audit.first_sign_in', user, user.id, { address: origin.address });
      const account = await accountOf(tx, user.account_id);
      const session = newSessionRecord(account, { ...user, ...introduced }, tokens);
      return { token: tokens.cookie.token, expiresAt, session };
    });
  }
}
