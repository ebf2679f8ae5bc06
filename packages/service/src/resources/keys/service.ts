import type { ApiKey, CreatedApiKey, KeyCreate } from '@hortus/contract/resources/keys';
import { KEYS_TOPIC } from '../../identity/authenticator.ts';
import { networksOf } from '../../identity/credentials.ts';
import {
  expiresWithin,
  type Limits,
  limitsOf,
  reachesWithin,
  requireCouldHaveMade,
} from '../../identity/delegation.ts';
import { type Network, parseNetwork, printNetwork } from '../../identity/networks.ts';
import { actorOf, type Principal, requirePermission, userOf } from '../../identity/principal.ts';
import { type Mode, newUserKey } from '../../identity/tokens.ts';
import { append } from '../../outbox/append.ts';
import { invalid, notFound } from '../../problem.ts';
import type { RequireRoom } from '../../quotas/quotas.ts';
import { newId } from '../../records/ids.ts';
import { iso, isoOrNull } from '../../records/time.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { heldKey, heldKeysOf, insertKey, type KeyRow, keyList, markRevoked } from './store.ts';

export interface KeyDeps {
  readonly storage: Storage;
  readonly pages: Pages;
  readonly requireRoom: RequireRoom;
  readonly mode: Mode;
}

/** Lists, creates and revokes the API keys of an account. */
export class Keys {
  readonly #deps: KeyDeps;

  constructor(deps: KeyDeps) {
    this.#deps = deps;
  }

  async list({ accountId }: Principal, request: PageRequest): Promise<Page<ApiKey>> {
    const { storage, pages } = this.#deps;
    return await pages.read(request, keyList(storage.reader, { accountId }), recordOf);
  }

  async create(tx: Tx, principal: Principal, wanted: KeyCreate): Promise<CreatedApiKey> {
    // A key has at most the permissions and limits of its creator; otherwise a weak key could create a stronger one.
    for (const permission of wanted.permissions) requirePermission(principal, permission);
    const limits = limitsOf(principal);
    await this.#deps.requireRoom(tx, principal, 'keys');
    const token = newUserKey(this.#deps.mode);
    const row: KeyRow = {
      id: newId('key'),
      account_id: principal.accountId,
      hash: token.hash,
      prefix: token.prefix,
      name: wanted.name,
      permissions: JSON.stringify(wanted.permissions),
      allowed_cidrs: JSON.stringify(networksFor(wanted.allowed_cidrs, limits).map(printNetwork)),
      expires_at: expiryFor(wanted.expires_at, limits, tx.now),
      last_used_at: null,
      created_by: makerOf(principal),
      created_at: tx.now,
      revoked_at: null,
    };
    await insertKey(tx, row);
    await audit(tx, 'audit.key_created', principal, row);
    return { ...recordOf(row), key: token.token };
  }

  /** Revokes the keys of a removed user. */
  async revokeAllOf(tx: Tx, principal: Principal, userId: string): Promise<void> {
    for (const row of await heldKeysOf(tx, principal.accountId, userId)) {
      await markRevoked(tx, row.id);
      tx.notify(KEYS_TOPIC, row.hash);
      await audit(tx, 'audit.key_revoked', principal, row);
    }
  }

  /** Revokes a key that the caller could have created. Idempotent. */
  async revoke(tx: Tx, principal: Principal, id: string): Promise<ApiKey> {
    const row = await heldKey(tx, principal.accountId, id);
    if (!row) throw notFound('API key');
    const { permissions } = recordOf(row);
    requireCouldHaveMade(principal, permissions, { expiresAt: row.expires_at, networks: networksOf(row) });
    if (row.revoked_at !== null) return recordOf(row);
    await markRevoked(tx, id);
    tx.notify(KEYS_TOPIC, row.hash);
    await audit(tx, 'audit.key_revoked', principal, row);
    return recordOf({ ...row, revoked_at: tx.now });
  }
}

/** Attributes a key created with a user's key to that user. */
const makerOf = (principal: Principal): string => userOf(principal) ?? actorOf(principal);

/** Uses the requested networks, or those of the creator. */
function networksFor(wanted: readonly string[] | undefined, maker: Limits): readonly Network[] {
  if (wanted === undefined) return maker.networks;
  const networks = wanted.map(networkIn);
  if (reachesWithin(networks, maker)) return networks;
  const own = maker.networks.map(printNetwork).join(', ');
  throw invalid('allowed_cidrs', `must lie within the networks of the key that creates it: ${own}.`);
}

function networkIn(text: string): Network {
  const network = parseNetwork(text);
  if (!network) throw invalid('allowed_cidrs', `"${text}" is not a network such as 192.0.2.0/24 or 2001:db8::/32.`);
  return network;
}

/** Uses the requested expiry, or that of the creator. Null asks for a key without expiry. */
function expiryFor(wanted: string | null | undefined, maker: Limits, now: number): number | null {
  if (wanted === undefined) return maker.expiresAt;
  const time = wanted === null ? null : Date.parse(wanted);
  // Negated, so that NaN (not a time) fails too.
  if (time !== null && !(time > now)) throw invalid('expires_at', 'must be in the future.');
  if (expiresWithin(time, maker)) return time;
  throw invalid(
    'expires_at',
    `must not be later than ${isoOrNull(maker.expiresAt)}, when the key that creates it expires.`,
  );
}

const recordOf = (row: KeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  permissions: JSON.parse(row.permissions) as string[],
  expires_at: isoOrNull(row.expires_at),
  allowed_cidrs: JSON.parse(row.allowed_cidrs) as string[],
  last_used_at: isoOrNull(row.last_used_at),
  created_at: iso(row.created_at),
  created_by: row.created_by,
  revoked_at: isoOrNull(row.revoked_at),
});

const audit = (
  tx: Tx,
  type: 'audit.key_created' | 'audit.key_revoked',
  principal: Principal,
  key: KeyRow,
): Promise<void> =>
  append(tx, {
    type,
    accountId: key.account_id,
    resourceType: 'key',
    resourceId: key.id,
    actor: actorOf(principal),
    data: { key_id: key.id, name: key.name, prefix: key.prefix, permissions: JSON.parse(key.permissions) as string[] },
  });
