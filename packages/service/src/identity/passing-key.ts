import { append } from '../outbox/append.ts';
import { newId } from '../records/ids.ts';
import type { Storage } from '../storage/storage.ts';
import { firstAccount, insertKey } from './store.ts';
import { type Mode, newUserKey } from './tokens.ts';

export interface PassingKeyDeps {
  readonly storage: Storage;
  readonly mode: Mode;
}

export interface PassingKeyOptions {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly lifetimeMs: number;
}

/**
 * Creates a short-lived key of the first account for the operator of this process. The operator controls the database
 * anyway, and with this key can use the API like every client, without storing the first key.
 */
export async function makePassingKey({ storage, mode }: PassingKeyDeps, wanted: PassingKeyOptions): Promise<string> {
  const accountId = await firstAccount(storage.reader);
  if (accountId === undefined) throw new Error('There is no account yet.');
  const { name, permissions } = wanted;
  const { token, hash, prefix } = newUserKey(mode);
  const id = newId('key');
  await storage.write(async (tx) => {
    await insertKey(tx, {
      id,
      account_id: accountId,
      hash,
      prefix,
      name,
      permissions: JSON.stringify(permissions),
      allowed_cidrs: '[]',
      expires_at: tx.now + wanted.lifetimeMs,
      last_used_at: null,
      created_by: null,
      created_at: tx.now,
      revoked_at: null,
    });
    await append(tx, {
      type: 'audit.key_created',
      accountId,
      resourceType: 'key',
      resourceId: id,
      actor: null,
      data: { key_id: id, name, prefix, permissions },
    });
  });
  return token;
}
