import { randomBytes } from 'node:crypto';
import { append } from '../outbox/append.ts';
import { newId } from '../records/ids.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import { normalEmail } from './email.ts';
import { PASSWORD_LENGTH, type Passwords } from './passwords.ts';
import {
  claimFirstAccount,
  firstAccount,
  insertAccount,
  insertFirstLink,
  insertKey,
  insertUser,
  replaceFirstLink,
} from './store.ts';
import { kindOfKey, type Mode, newSessionToken, newUserKey, type Token, tokenOf } from './tokens.ts';

export interface FirstStartDeps {
  readonly storage: Storage;
  readonly passwords: Passwords;
  readonly mode: Mode;
  /** HORTUS_ADMIN_KEY, HORTUS_ADMIN_EMAIL and HORTUS_ADMIN_PASSWORD, as given. */
  readonly adminKey: string | undefined;
  readonly adminEmail: string;
  readonly adminPassword: string | undefined;
}

export interface FirstStart {
  readonly accountId: string;
  readonly email: string;
  /** Set only if generated here; it is shown once and not stored in plain text. */
  readonly generatedKey: string | undefined;
  readonly generatedPassword: string | undefined;
  /** Token of a link that signs in as the owner once; set with a generated password. */
  readonly linkToken: string | undefined;
}

/** Creates the first account, its owner and a key on an empty database. Returns undefined if they exist already. */
export async function ensureFirstAccount(deps: FirstStartDeps): Promise<FirstStart | undefined> {
  checkSettings(deps);
  const { storage } = deps;
  if ((await firstAccount(storage.reader)) !== undefined) return undefined;
  const key = deps.adminKey ? tokenOf(deps.adminKey) : newUserKey(deps.mode);
  const password = deps.adminPassword || randomBytes(18).toString('base64url');
  const passwordHash = await deps.passwords.hash(password);
  const email = normalEmail(deps.adminEmail);
  const accountId = newId('account');
  const link = deps.adminPassword ? undefined : newSessionToken();
  // Of replicas that start at the same time, one gets the claim; the others find the account.
  const made = await storage.write(async (tx) => {
    if (!(await claimFirstAccount(tx, accountId))) return false;
    await makeAccount(tx, { accountId, email, passwordHash, key, link });
    return true;
  });
  if (!made) return undefined;
  return {
    accountId,
    email,
    generatedKey: deps.adminKey ? undefined : key.token,
    generatedPassword: deps.adminPassword ? undefined : password,
    linkToken: link?.token,
  };
}

/**
 * Replaces the link of the first start by a new one while its user has not signed in, so that a lost or expired link does not lock the
 * operator out. Returns its token.
 */
export async function renewFirstLink(storage: Storage): Promise<string | undefined> {
  const link = newSessionToken();
  const renewed = await storage.write((tx) =>
    replaceFirstLink(tx, { hash: link.hash, expires_at: tx.now + LINK_LASTS_MS }),
  );
  return renewed ? link.token : undefined;
}

function checkSettings({ adminKey, adminPassword, adminEmail, mode }: FirstStartDeps): void {
  if (adminKey && kindOfKey(adminKey, mode) !== 'key') {
    throw new Error(`HORTUS_ADMIN_KEY must be hk_${mode}_ and from 32 to 128 letters, digits, - or _.`);
  }
  const { min, max } = PASSWORD_LENGTH;
  if (adminPassword && (adminPassword.length < min || adminPassword.length > max)) {
    throw new Error(`HORTUS_ADMIN_PASSWORD must have from ${min} to ${max} characters.`);
  }
  if (!/^[^\s@]+@[^\s@]+$/.test(normalEmail(adminEmail)))
    throw new Error('HORTUS_ADMIN_EMAIL must be an email address.');
}

/** How long the link of the first start is valid. */
const LINK_LASTS_MS = 24 * 60 * 60_000;

interface FirstAccount {
  readonly accountId: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly key: Token;
  readonly link: Token | undefined;
}

async function makeAccount(tx: Tx, { accountId, email, passwordHash, key, link }: FirstAccount): Promise<void> {
  const now = tx.now;
  const userId = newId('user');
  const keyId = newId('key');
  await insertAccount(tx, { id: accountId, name: 'Hortus', plan: 'enterprise', created_at: now });
  await insertUser(tx, {
    id: userId,
    account_id: accountId,
    email,
    password_hash: passwordHash,
    role: 'owner',
    admin: 1,
    created_at: now,
    updated_at: now,
  });
  if (link) await insertFirstLink(tx, { user_id: userId, hash: link.hash, expires_at: now + LINK_LASTS_MS });
  await insertKey(tx, {
    id: keyId,
    account_id: accountId,
    hash: key.hash,
    prefix: key.prefix,
    name: 'first key',
    permissions: JSON.stringify(['admin']),
    allowed_cidrs: '[]',
    expires_at: null,
    last_used_at: null,
    created_by: userId,
    created_at: now,
    revoked_at: null,
  });
  await append(tx, {
    type: 'audit.account_created',
    accountId,
    resourceType: 'account',
    resourceId: accountId,
    actor: null,
    data: { account_id: accountId, user_id: userId, key_id: keyId },
  });
}
