import { append } from '../outbox/append.ts';
import type { Storage } from '../storage/storage.ts';
import type { Row } from '../storage/tables.ts';
import { type Credential, KEYS_TOPIC } from './credential-cache.ts';
import { type Network, parseNetwork } from './networks.ts';
import { findKey, findMember, findServer, findSession, promoteNextKey, serverWithNextKey } from './store.ts';
import { permissionsOf } from './user-permissions.ts';

/** Each function returns undefined if the credential does not exist or was revoked. Expiry is checked at every use. */

export async function userKeyCredential(storage: Storage, hash: string): Promise<Credential | undefined> {
  const key = await findKey(storage.reader, hash);
  if (!key || key.revoked_at !== null) return undefined;
  const limits = { expiresAt: key.expires_at, networks: networksOf(key) };
  return {
    principal: {
      kind: 'key',
      id: key.id,
      accountId: key.account_id,
      plan: key.plan,
      userId: key.created_by?.startsWith('usr_') ? key.created_by : null,
      permissions: JSON.parse(key.permissions) as string[],
      ...limits,
    },
    ...limits,
  };
}

/** Decides when an unused session ends. `seenAt` returns the last use that is not written yet, or 0. */
export interface Idleness {
  readonly idleMs: number;
  readonly seenAt: (sessionId: string) => number;
}

export async function sessionCredential(
  storage: Storage,
  hash: string,
  { idleMs, seenAt }: Idleness,
): Promise<Credential | undefined> {
  const session = await findSession(storage.reader, hash);
  if (!session || session.page_hash === null) return undefined;
  // The cache is refreshed every half minute, so the expiry moves with the use.
  const idleAt = Math.max(session.last_seen_at, seenAt(session.id)) + idleMs;
  return {
    principal: {
      kind: 'session',
      id: session.id,
      accountId: session.account_id,
      plan: session.plan,
      userId: session.user_id,
      permissions: permissionsOf(session),
    },
    expiresAt: Math.min(session.expires_at, idleAt),
    networks: [],
    pageHash: session.page_hash,
  };
}

export async function serverCredential(storage: Storage, hash: string): Promise<Credential | undefined> {
  const server = await findServer(storage.reader, hash);
  if (!server) return memberCredential(storage, hash);
  // The daemon has received and used the new key, so the old one can be revoked.
  if (server.next_key_hash === hash) await retireOldKey(storage, hash);
  return {
    principal: { kind: 'server', serverId: server.id, accountId: server.account_id, plan: server.plan },
    expiresAt: null,
    networks: [],
  };
}

async function memberCredential(storage: Storage, hash: string): Promise<Credential | undefined> {
  const member = await findMember(storage.reader, hash);
  if (!member) return undefined;
  const { id: memberId, server_id: serverId, account_id: accountId, plan } = member;
  return { principal: { kind: 'server', serverId, memberId, accountId, plan }, expiresAt: null, networks: [] };
}

/** Makes a server's next key its only one. Returns false if it is not, or no longer, the next key of this server. */
export const retireOldKey = (storage: Storage, hash: string, serverId?: string): Promise<boolean> =>
  storage.write(async (tx) => {
    const server = await serverWithNextKey(tx, hash);
    if (!server || (serverId !== undefined && server.id !== serverId)) return false;
    await promoteNextKey(tx, server.id, hash);
    tx.notify(KEYS_TOPIC, server.key_hash);
    await append(tx, {
      type: 'audit.server_key_replaced',
      accountId: server.account_id,
      resourceType: 'server',
      resourceId: server.id,
      actor: server.id,
      data: { server_id: server.id },
    });
    return true;
  });

/** Returns the networks from which a stored key is accepted. */
export const networksOf = ({ allowed_cidrs }: Pick<Row<'api_keys'>, 'allowed_cidrs'>): Network[] =>
  (JSON.parse(allowed_cidrs) as string[]).map(storedNetwork);

function storedNetwork(text: string): Network {
  const network = parseNetwork(text);
  // Skipping an invalid entry could make the list empty, which means everywhere.
  if (!network) throw new Error('The allowlist of a key in the database contains an invalid network.');
  return network;
}
