import { Fingerprint, type ReportedFingerprint } from '@hortus/contract/records/fingerprint';
import type { NetworkUsage } from '@hortus/contract/records/network-usage';
import type { Server } from '@hortus/contract/resources/server-records';
import type { ServerRegistration, ServerUpdate } from '@hortus/contract/resources/servers';
import { KEYS_TOPIC } from '../../identity/authenticator.ts';
import { actorOf, may, type Principal, requirePermission, userOf } from '../../identity/principal.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import { append } from '../../outbox/append.ts';
import { conflict, notFound } from '../../problem.ts';
import type { RequireRoom } from '../../quotas/quotas.ts';
import { newId } from '../../records/ids.ts';
import { begin } from '../../state/transition.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { ROTATE_TOPIC, sealedFor } from './key-handover.ts';
import { serverLifecycle } from './lifecycle.ts';
import { OLD_KEY, OLD_KEY_MS } from './old-keys.ts';
import { fingerprintOf, type NewerDaemon, platformOf, serverRecord } from './record.ts';
import {
  findServer,
  listForTests,
  lockServer,
  type ServerFilter,
  type ServerRow,
  serverList,
  updateServer,
  useServer,
  writeFingerprint,
  writeNetworks,
} from './store.ts';

export interface ServersDeps {
  readonly reader: Queries;
  readonly pages: Pages;
  readonly requireRoom: RequireRoom;
  readonly vault: Pick<Vault, 'encrypt'>;
  /** Creates a server key and its hash. */
  readonly issueKey: () => { readonly token: string; readonly hash: string };
  /** Key with which daemons verify manifests. */
  readonly manifestKey: () => string;
  /** Counts the definitions and running instances of the server. */
  readonly inUse: (tx: Tx, serverId: string) => Promise<{ readonly definitions: number; readonly instances: number }>;
  readonly newer: NewerDaemon;
  /** Looks for new releases of the daemon, before servers are read. */
  readonly refreshReleases: () => Promise<void>;
  readonly members: {
    /** Creates the first member of a cluster with the key of its registration; returns its id. */
    first(tx: Tx, principal: Principal, server: ServerRow, keyHash: string): Promise<string>;
    /** Revokes the keys of all members of a removed cluster. */
    revokeAll(tx: Tx, serverId: string): Promise<void>;
  };
  /** Archives everything on a removed server. */
  readonly abandon: (tx: Tx, principal: Principal, serverId: string) => Promise<void>;
}

export interface ServerState {
  readonly name: string;
  readonly status: ServerRow['status'];
  readonly connected: boolean;
  /** Capabilities of the daemon; undefined while it is not connected. */
  readonly capabilities: readonly string[] | undefined;
  /** Reported on the last connect. */
  readonly arch: string | undefined;
  readonly fingerprint: Fingerprint | null;
  /** Whether its key was handed to someone with `data:export`. */
  readonly trusted: boolean;
}

/** A server for deploy tests. */
interface TestServer {
  readonly id: string;
  readonly name: string;
  readonly trusted: boolean;
}

export class Servers {
  readonly #deps: ServersDeps;
  constructor(deps: ServersDeps) {
    this.#deps = deps;
  }

  async list(filter: ServerFilter, request: PageRequest): Promise<Page<Server>> {
    const { reader, pages, refreshReleases } = this.#deps;
    await refreshReleases();
    return await pages.read(request, serverList(reader, filter), (row) => this.#record(row));
  }

  async read(principal: Principal, id: string): Promise<Server> {
    // A daemon sees only its own server.
    if (principal.kind === 'server' && principal.serverId !== id) throw notFound('server');
    await this.#deps.refreshReleases();
    const row = await findServer(this.#deps.reader, principal.accountId, id);
    if (!row) throw notFound('server');
    return this.#record(row);
  }

  /** Whether the account has the server; it cannot be removed until the transaction ends. */
  async has(tx: Tx, accountId: string, id: string): Promise<boolean> {
    return (await this.statusInUse(tx, accountId, id)) !== undefined;
  }

  /** The same, and returns its status. */
  statusInUse(tx: Tx, accountId: string, id: string): Promise<ServerRow['status'] | undefined> {
    return useServer(tx, accountId, id);
  }

  /** Locks the server, so that concurrent reservations wait. */
  hold(tx: Tx, accountId: string, id: string): Promise<unknown> {
    return lockServer(tx, accountId, id);
  }

  /** Reads whether it accepts work and whether its daemon is online; undefined if it was removed. */
  async currentState(queries: Queries, accountId: string, id: string): Promise<ServerState | undefined> {
    const row = await findServer(queries, accountId, id);
    if (!row) return undefined;
    const there = row.connected_replica !== null || row.polled_at !== null;
    const connected = row.status === 'online' || (row.status === 'draining' && there);
    const capabilities = row.connected_replica === null ? undefined : (JSON.parse(row.capabilities) as string[]);
    const { arch } = platformOf(row);
    return {
      name: row.name,
      status: row.status,
      connected,
      capabilities,
      arch,
      fingerprint: fingerprintOf(row),
      trusted: row.key_trusted === 1,
    };
  }

  /** Stores a reported fingerprint. Unknown values are null. */
  async identify(tx: Tx, id: string, found: ReportedFingerprint): Promise<void> {
    const names = Object.keys(Fingerprint.properties) as (keyof Fingerprint)[];
    await writeFingerprint(
      tx,
      id,
      JSON.stringify(Object.fromEntries(names.map((name) => [name, found[name] ?? null]))),
    );
  }

  /** Stores reported network usage. */
  async recordNetworks(tx: Tx, id: string, { pool, total, used, free }: NetworkUsage): Promise<void> {
    await writeNetworks(tx, id, JSON.stringify({ pool, total, used, free }));
  }

  /** Lists servers that accept deploy tests, best first. */
  async forTests(queries: Queries, accountId: string): Promise<TestServer[]> {
    const rows = await listForTests(queries, accountId);
    return rows.map(({ id, name, key_trusted }) => ({ id, name, trusted: key_trusted === 1 }));
  }

  /** Whether the connected daemon keeps no journal and therefore sends no claim token. */
  async hasPublishedDaemon(queries: Queries, accountId: string, id: string): Promise<boolean> {
    const row = await findServer(queries, accountId, id);
    return row !== undefined && row.connected_replica !== null && row.daemon_journal === null;
  }

  async register(tx: Tx, principal: Principal, body: ServerRegistration) {
    await this.#deps.requireRoom(tx, principal, 'servers');
    const { token, hash } = this.#deps.issueKey();
    const id = newId('server');
    const isCluster = body.kind === 'cluster';
    const row = await begin(
      tx,
      serverLifecycle,
      {
        id,
        kind: isCluster ? 'cluster' : null,
        leader_member: null,
        leader_until: null,
        leader_since: null,
        account_id: principal.accountId,
        name: body.name,
        environment: body.environment,
        description: body.description ?? null,
        labels: body.labels ? JSON.stringify(body.labels) : null,
        deploy_tests: body.deploy_tests ? 1 : 0,
        // The key belongs to the first member of a cluster.
        key_hash: isCluster ? `cluster:${id}` : hash,
        next_key_hash: null,
        next_key_sealed: null,
        old_key_until: null,
        key_trusted: may(principal, 'data:export') ? 1 : 0,
        identity_key: null,
        identity_pinned_at: null,
        identity_conflict: null,
        identity_conflict_at: null,
        registered_by: userOf(principal),
        connection_epoch: 0,
        connected_replica: null,
        duplicate_at: null,
        capabilities: '[]',
        daemon_version: null,
        daemon_journal: null,
        daemon_platform: '{}',
        fingerprint: null,
        networks: null,
        polled_at: null,
        last_seen_at: null,
        deleted_at: null,
        created_at: tx.now,
        updated_at: tx.now,
      },
      'register',
      actorOf(principal),
    );
    await audit(tx, principal, 'audit.server_registered', row);
    const registered = { ...this.#record(row), api_key: token, manifest_public_key: this.#deps.manifestKey() };
    return isCluster
      ? { ...registered, member_id: await this.#deps.members.first(tx, principal, row, hash) }
      : registered;
  }

  async update(tx: Tx, principal: Principal, id: string, body: ServerUpdate): Promise<Server> {
    const row = await this.#lock(tx, principal, id);
    const { deploy_tests, labels, ...rest } = body;
    const flag = deploy_tests === undefined ? {} : { deploy_tests: deploy_tests ? (1 as const) : (0 as const) };
    const labelled = labels && { labels: JSON.stringify(labels) };
    return this.#record(await updateServer(tx, row, { ...rest, ...flag, ...labelled }));
  }

  async remove(tx: Tx, principal: Principal, id: string, force: boolean): Promise<Server> {
    const row = await this.#lock(tx, principal, id);
    const { definitions, instances } = await this.#deps.inUse(tx, id);
    if (!force && definitions + instances > 0)
      throw conflict(
        'id',
        'in_use',
        `${definitions} definitions belong to this server and ${instances} instances run on it; archive them first, or use force.`,
        { definitions, instances },
      );
    if (force) await this.#deps.abandon(tx, principal, id);
    this.#revoke(tx, row.key_hash, row.next_key_hash);
    if (row.kind === 'cluster') await this.#deps.members.revokeAll(tx, id);
    // Replace the hash too, so that no key opens the row again.
    const removed = await updateServer(tx, row, {
      deleted_at: tx.now,
      key_hash: `removed:${row.id}`,
      next_key_hash: null,
      next_key_sealed: null,
      old_key_until: null,
    });
    await audit(tx, principal, 'audit.server_removed', removed);
    return this.#record(removed);
  }

  /**
   * Sends the new key to a capable daemon over its connection, now or on reconnect; the old key stays valid until the
   * new one is acknowledged or used, for a day at most. For any other daemon the operator installs the new key, so the
   * old one is revoked immediately: it may have leaked.
   */
  async rotateKey(tx: Tx, principal: Principal, id: string, force: boolean) {
    requirePermission(principal, 'servers:write');
    const row = await this.#lock(tx, principal, id);
    if (row.kind === 'cluster') throw membersHaveKeys();
    const { token, hash } = this.#deps.issueKey();
    const atOnce = force || !(JSON.parse(row.capabilities) as string[]).includes('rotate');
    this.#revoke(tx, row.next_key_hash, atOnce ? row.key_hash : null);
    const rotated = await updateServer(
      tx,
      row,
      atOnce
        ? { key_hash: hash, next_key_hash: null, next_key_sealed: null, old_key_until: null, key_trusted: 1 }
        : {
            next_key_hash: hash,
            next_key_sealed: await sealedFor(tx, this.#deps.vault, row, token),
            old_key_until: tx.now + OLD_KEY_MS,
          },
    );
    if (!atOnce) {
      await enqueue(tx, { kind: OLD_KEY, key: id, payload: { server_id: id }, runAt: tx.now + OLD_KEY_MS });
      tx.notify(ROTATE_TOPIC, id);
    }
    await audit(tx, principal, 'audit.server_key_rotated', rotated);
    const old_key = atOnce ? ('revoked' as const) : ('valid_until_acknowledged' as const);
    return { ...this.#record(rotated), api_key: token, old_key };
  }

  #record(row: ServerRow): Server {
    return serverRecord(row, this.#deps.newer);
  }

  #revoke(tx: Tx, ...hashes: (string | null)[]): void {
    for (const hash of hashes) if (hash !== null) tx.notify(KEYS_TOPIC, hash);
  }

  async #lock(tx: Tx, principal: Principal, id: string): Promise<ServerRow> {
    const row = await lockServer(tx, principal.accountId, id);
    if (!row) throw notFound('server');
    return row;
  }
}

const membersHaveKeys = () =>
  conflict(
    'id',
    'cluster',
    'is a cluster, whose members have keys of their own; add a member, and revoke the one whose key is to be replaced.',
  );

const audit = (tx: Tx, principal: Principal, type: `audit.${string}`, row: ServerRow) =>
  append(tx, {
    type,
    accountId: row.account_id,
    resourceType: 'server',
    resourceId: row.id,
    actor: actorOf(principal),
    data: serverLifecycle.eventData(row),
  });
