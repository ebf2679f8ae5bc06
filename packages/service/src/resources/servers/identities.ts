import type { Server } from '@hortus/contract/resources/server-records';
import type { IdentityReset } from '@hortus/contract/resources/servers';
import { actorOf, type Principal, requirePermission } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import { conflict, invalid, notFound } from '../../problem.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import { IDENTITY_RESET_TOPIC } from '../../streams/daemon-streams.ts';
import {
  conflictColumns,
  type IdentityColumns,
  identityConflict,
  identityRecord,
  isNewConflict,
  judgeIdentity,
  malformedIdentity,
} from './identity.ts';
import { type NewerDaemon, serverRecord } from './record.ts';
import { heldServer, lockServer, recipientOf, type ServerRow, setIdentity } from './store.ts';

/** Published with the id of a server whose identity changed, or whose pinned daemon must learn of a conflict. */
export const IDENTITY_TOPIC = 'channel.identity';

/** Server that secrets are sealed for. */
export interface Recipient {
  /** Null for a server without a pinned key: values are sent in plain text. */
  readonly key: string | null;
  /** Whether account passwords may be sent there that the holder of the server key could not read otherwise. */
  readonly trusted: boolean;
  /** Keys of the other members of a cluster, which may have to continue with the manifest. */
  readonly others?: readonly string[];
}

/** Lists the pinned keys of the members of a cluster. */
export type SealingKeysOfMembers = (queries: Queries, serverId: string) => Promise<readonly string[]>;

const UNPINNED: IdentityColumns = {
  identity_key: null,
  identity_pinned_at: null,
  identity_conflict: null,
  identity_conflict_at: null,
};

/** Pins the key pair of each server's daemon and decides who may get its secrets. */
export class Identities {
  readonly #storage: Storage;
  readonly #newer: NewerDaemon;
  readonly #keysOfMembers: SealingKeysOfMembers;
  constructor(storage: Storage, newer: NewerDaemon, keysOfMembers: SealingKeysOfMembers) {
    this.#storage = storage;
    this.#newer = newer;
    this.#keysOfMembers = keysOfMembers;
  }

  /**
   * Records the key that a request presents: pins the first, records a conflicting one. In a separate transaction,
   * because a refused request rolls its own back.
   */
  async introduce(serverId: string, shown: string | null): Promise<void> {
    const known = await recipientOf(this.#storage.reader, serverId);
    const verdict = judgeIdentity(known ?? UNPINNED, shown);
    if (verdict !== 'first' && verdict !== 'conflict') return;
    await this.#storage.write(async (tx) => {
      const row = await heldServer(tx, serverId);
      if (row) await notePresented(tx, row, shown);
    });
  }

  /** Throws unless the request presents the pinned key, or none is pinned and it presents none. */
  async recipient(tx: Tx, serverId: string, shown: string | null): Promise<Recipient> {
    const row = await recipientOf(tx, serverId);
    if (!row) throw notFound('server');
    const verdict = judgeIdentity(row, shown);
    if (verdict === 'malformed') throw malformedIdentity();
    // `introduce` pins a first key; if it is still `first`, another daemon won the race or the identity was reset.
    if (verdict === 'conflict' || verdict === 'first') throw identityConflict();
    const recipient = { key: row.identity_key, trusted: row.key_trusted === 1 };
    if (row.kind !== 'cluster') return recipient;
    const keys = await this.#keysOfMembers(tx, serverId);
    return { ...recipient, others: keys.filter((key) => key !== row.identity_key) };
  }

  /** Pinned key of the server's daemon; null if it has none. */
  async sealingKeyOf(queries: Queries, serverId: string): Promise<string | null> {
    return (await recipientOf(queries, serverId))?.identity_key ?? null;
  }

  async reset(tx: Tx, principal: Principal, id: string, { fingerprint }: IdentityReset): Promise<Server> {
    requirePermission(principal, 'servers:write');
    const row = await lockServer(tx, principal.accountId, id);
    if (!row) throw notFound('server');
    if (row.kind === 'cluster')
      throw conflict(
        'id',
        'cluster',
        'is a cluster, whose members have key pairs of their own; revoke the member and add it again.',
      );
    const columns = fingerprint === undefined ? UNPINNED : pinnedBy(row, fingerprint, tx.now);
    await setIdentity(tx, id, columns);
    tx.notify(IDENTITY_TOPIC, id);
    // They were opened by the daemon that was pinned before.
    tx.notify(IDENTITY_RESET_TOPIC, id);
    const changed = { ...row, ...columns };
    await appendIdentity(tx, changed, 'audit.server_identity_reset', actorOf(principal), {
      former_fingerprint: identityRecord(row).fingerprint,
    });
    return serverRecord(changed, this.#newer);
  }
}

/** Pins the first key and records a conflicting one. Returns the updated row; the caller has locked it. */
export async function notePresented(tx: Tx, row: ServerRow, shown: string | null): Promise<ServerRow> {
  const verdict = judgeIdentity(row, shown);
  if (verdict === 'first') {
    const pinned = { ...row, identity_key: shown, identity_pinned_at: tx.now };
    await setIdentity(tx, row.id, pinned);
    await appendIdentity(tx, pinned, 'audit.server_identity_pinned', row.id);
    return pinned;
  }
  if (verdict !== 'conflict' || !isNewConflict(row, tx.now)) return row;
  const conflicting = { ...row, ...conflictColumns(shown, tx.now) };
  await setIdentity(tx, row.id, conflicting);
  tx.notify(IDENTITY_TOPIC, row.id);
  await appendIdentity(tx, conflicting, 'audit.server_identity_conflict', row.id);
  return conflicting;
}

/** Finds the key by the fingerprint that a user gave; the server must have presented it. */
function pinnedBy(row: ServerRow, fingerprint: string, now: number): IdentityColumns {
  const shown = identityRecord(row);
  if (fingerprint === shown.fingerprint)
    return { ...UNPINNED, identity_key: row.identity_key, identity_pinned_at: row.identity_pinned_at };
  if (fingerprint === shown.conflicting_fingerprint)
    return { ...UNPINNED, identity_key: row.identity_conflict, identity_pinned_at: now };
  throw invalid('fingerprint', 'is neither the pinned key of this server nor the conflicting one.', {
    reason: 'unknown',
  });
}

async function appendIdentity(
  tx: Tx,
  row: ServerRow,
  type: `audit.${string}`,
  actor: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { fingerprint, conflicting_fingerprint } = identityRecord(row);
  await append(tx, {
    type,
    accountId: row.account_id,
    resourceType: 'server',
    resourceId: row.id,
    actor,
    data: { server_id: row.id, name: row.name, fingerprint, conflicting_fingerprint, ...more },
  });
}
