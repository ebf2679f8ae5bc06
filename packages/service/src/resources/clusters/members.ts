import type { AddedClusterMember, ClusterMember, ClusterMemberAddition } from '@hortus/contract/resources/clusters';
import { KEYS_TOPIC } from '../../identity/authenticator.ts';
import { actorOf, type Principal, requirePermission, userOf } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import { conflict, notFound } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { type Page, type PageRequest, slice } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { findServer, lockServer, type NewerDaemon, type ServerRow, trustServer } from '../servers/public.ts';
import { deleteNodesOf } from './nodes/store.ts';
import { memberRecord } from './record.ts';
import { firstMemberOf, insertMember, lockMember, type MemberRow, membersOf, updateMember } from './store.ts';

/** Docker recommends at most seven managers; this leaves room for their replacements. */
const MAX_MEMBERS = 16;

export interface ClusterMembersDeps {
  readonly reader: Queries;
  readonly newer: NewerDaemon;
  /** Creates a key and its hash. */
  readonly issueKey: () => { readonly token: string; readonly hash: string };
  /** Key with which daemons verify manifests. */
  readonly manifestKey: () => string;
  /** Ends the leadership of a revoked member. */
  readonly revoked: (tx: Tx, server: ServerRow, memberId: string) => Promise<void>;
  readonly clock?: () => number;
}

/** Manages the daemons of clusters and their keys. */
export class ClusterMembers {
  readonly #deps: ClusterMembersDeps;
  constructor(deps: ClusterMembersDeps) {
    this.#deps = deps;
  }

  async list({ accountId }: Principal, serverId: string, request: PageRequest): Promise<Page<ClusterMember>> {
    const { reader, clock = Date.now } = this.#deps;
    const server = await findServer(reader, accountId, serverId);
    if (!server) throw notFound('server');
    const now = clock();
    const rows = await membersOf(reader, serverId);
    return slice(
      rows.map((row) => memberRecord(row, server, this.#deps.newer, now)),
      request,
    );
  }

  /** The key reaches the secrets of everything on the cluster, so the caller needs both permissions. */
  async add(tx: Tx, principal: Principal, serverId: string, body: ClusterMemberAddition): Promise<AddedClusterMember> {
    requirePermission(principal, 'servers:write');
    const server = await lockServer(tx, principal.accountId, serverId);
    if (!server) throw notFound('server');
    if (server.kind !== 'cluster')
      throw conflict('id', 'not_a_cluster', 'is an ordinary server, which has one daemon; register a cluster instead.');
    if ((await membersOf(tx, serverId)).length >= MAX_MEMBERS)
      throw conflict('id', 'full', `the cluster has ${MAX_MEMBERS} members; revoke one first.`);
    const { token, hash } = this.#deps.issueKey();
    const row = await this.#insert(tx, principal, server, body.name, hash);
    if (!row) throw conflict('name', 'taken', `a member of the cluster is named ${body.name}; choose another name.`);
    const record = memberRecord(row, server, this.#deps.newer, tx.now);
    return { ...record, api_key: token, manifest_public_key: this.#deps.manifestKey() };
  }

  /** Creates the first member of a new cluster, with the key that its registration returns. */
  async first(tx: Tx, principal: Principal, server: ServerRow, keyHash: string): Promise<string> {
    const row = await this.#insert(tx, principal, server, 'manager-1', keyHash);
    if (!row) throw new Error(`The new cluster ${server.id} already has a member.`);
    return row.id;
  }

  async revoke(tx: Tx, principal: Principal, serverId: string, id: string): Promise<ClusterMember> {
    const server = await lockServer(tx, principal.accountId, serverId);
    if (!server) throw notFound('server');
    const row = await lockMember(tx, id);
    if (row?.server_id !== serverId) throw notFound('member');
    const revoked = await revokeMember(tx, row);
    await this.#deps.revoked(tx, server, id);
    // The other members were added with `data:export`; the first has the key that the registration returned.
    if ((await firstMemberOf(tx, serverId)) === id) await trustServer(tx, serverId);
    await audit(tx, 'audit.cluster_member_revoked', principal, revoked);
    return memberRecord(revoked, { ...server, leader_member: null }, this.#deps.newer, tx.now);
  }

  /** Revokes all keys of a cluster that is removed, and forgets its nodes. */
  async revokeAll(tx: Tx, serverId: string): Promise<void> {
    await deleteNodesOf(tx, serverId);
    for (const row of await membersOf(tx, serverId)) await revokeMember(tx, row);
  }

  /** Lists the keys of members with a key pair, to seal secrets for all of them. */
  async sealingKeys(queries: Queries, serverId: string): Promise<string[]> {
    return (await membersOf(queries, serverId)).flatMap(({ identity_key }) => identity_key ?? []);
  }

  async #insert(
    tx: Tx,
    principal: Principal,
    server: ServerRow,
    name: string,
    keyHash: string,
  ): Promise<MemberRow | undefined> {
    const row: MemberRow = {
      id: newId('clusterMember'),
      account_id: server.account_id,
      server_id: server.id,
      name,
      key_hash: keyHash,
      identity_key: null,
      identity_pinned_at: null,
      identity_conflict: null,
      identity_conflict_at: null,
      capabilities: '[]',
      daemon_version: null,
      daemon_journal: null,
      daemon_platform: '{}',
      connected_replica: null,
      connection_number: 0,
      last_seen_at: null,
      registered_by: userOf(principal),
      revoked_at: null,
      created_at: tx.now,
      updated_at: tx.now,
    };
    if (!(await insertMember(tx, row))) return undefined;
    await audit(tx, 'audit.cluster_member_added', principal, row);
    return row;
  }
}

/** Replaces the hash too, so that no key opens the row again. */
function revokeMember(tx: Tx, row: MemberRow): Promise<MemberRow> {
  tx.notify(KEYS_TOPIC, row.key_hash);
  return updateMember(tx, row, { revoked_at: tx.now, key_hash: `revoked:${row.id}`, connected_replica: null });
}

const audit = (tx: Tx, type: `audit.${string}`, principal: Principal, { id, server_id, account_id, name }: MemberRow) =>
  append(tx, {
    type,
    accountId: account_id,
    resourceType: 'server',
    resourceId: server_id,
    actor: actorOf(principal),
    data: { server_id, member_id: id, name },
  });
