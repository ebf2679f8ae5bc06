import { append } from '../../outbox/append.ts';
import { Problem, unauthorized } from '../../problem.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import {
  claimLease,
  conflictColumns,
  daemonColumns,
  endLease,
  type Hello,
  heldServer,
  identityRecord,
  isNewConflict,
  judgeIdentity,
  type LeadingMember,
  malformedIdentity,
  modeRefusal,
  releaseLease,
  renewLease,
  type ServerRow,
  type Term,
  withRefusal,
} from '../servers/public.ts';
import { lockMember, type MemberRow, recordMemberGone, updateMember } from './store.ts';

/** Message `<member id> <number>`: every replica closes older connections of that member. */
export const MEMBER_REPLACED_TOPIC = 'channel.member_replaced';

/** How long a leader may go without a renewal; another member takes over after it. */
const LEASE_MS = 6_000;

export interface LeadershipDeps {
  readonly storage: Storage;
  readonly replica: string;
  readonly liveness: {
    lead(tx: Tx, row: ServerRow, member: LeadingMember): Promise<void>;
    stillConnected(serverId: string, epoch: number): Promise<void>;
    leaderless(tx: Tx, row: ServerRow): Promise<void>;
    refused(tx: Tx, row: ServerRow, problem: Problem): Promise<unknown>;
  };
  /** Settles the work of a leader that another member has replaced: its journal is not the new leader's. */
  readonly interrupted: (tx: Tx, serverId: string) => Promise<void>;
  readonly leaseMs?: number;
  /** Measures the time between answers of the database; never set back. */
  readonly monotonicClock?: () => number;
}

/** Result of a connection of a member. */
export interface Joined {
  /** Number of the connection among those of its member. */
  readonly number: number;
  /** Its leadership; undefined if another member leads. */
  readonly term: Term | undefined;
}

/** Decides which member of a cluster leads: the holder of a lease on the row of the server. */
export class Leadership {
  readonly #deps: LeadershipDeps;
  readonly leaseMs: number;
  readonly #now: () => number;
  /** Until then only the last leader may lead, by the monotonic clock. */
  #reservedUntil = Number.NEGATIVE_INFINITY;
  #respondedAt: number;
  constructor(deps: LeadershipDeps) {
    this.#deps = deps;
    this.leaseMs = deps.leaseMs ?? LEASE_MS;
    this.#now = deps.monotonicClock ?? (() => performance.now());
    this.#respondedAt = this.#now();
  }

  /**
   * Notices by the time between two answers of the database that it was lost, and reserves every cluster for its last leader
   * for one lease then: it could not renew, so the end of its lease does not mean that it is gone. Another member would have
   * to give its work up as unknown. The succession asks often enough.
   */
  responded(): void {
    const now = this.#now();
    if (now - this.#respondedAt > this.leaseMs / 2) this.#reservedUntil = now + this.leaseMs;
    this.#respondedAt = now;
  }

  get isReserved(): boolean {
    return this.#now() < this.#reservedUntil;
  }

  /** Registers a connection of a member. It leads at once if no other member does. */
  async connected(serverId: string, memberId: string, hello: Hello): Promise<Joined> {
    const joined = await this.#deps.storage.write(async (tx) => {
      const server = await heldServer(tx, serverId);
      this.responded();
      const member = server && (await lockMember(tx, memberId));
      if (!server || member?.key_hash !== hello.keyHash) return unauthorized();
      if (server.status === 'disabled') return unauthorized('This server is disabled.');
      const wrong = modeRefusal(server.kind, hello.capabilities);
      if (wrong) return await this.#refused(tx, server, member, wrong);
      const pinned = await this.#presented(tx, member, hello.sealingKey);
      if (pinned instanceof Problem) return pinned;
      const number = pinned.connection_number + 1;
      if (pinned.connected_replica !== null) tx.notify(MEMBER_REPLACED_TOPIC, `${memberId} ${number}`);
      const connected = await updateMember(tx, pinned, {
        ...daemonColumns(hello),
        connected_replica: this.#deps.replica,
        connection_number: number,
        last_seen_at: tx.now,
      });
      return { number, term: await this.#claim(tx, server, connected) };
    });
    // Returned instead of thrown, because a conflicting key pair is recorded in the transaction.
    if (joined instanceof Problem) throw joined;
    return joined;
  }

  /** Lets a connected standby lead, if no other member does. */
  takeOver(serverId: string, memberId: string, keyHash: string): Promise<Term | undefined> {
    return this.#deps.storage.write(async (tx) => {
      const server = await heldServer(tx, serverId);
      this.responded();
      const member = server && (await lockMember(tx, memberId));
      if (!server || server.status === 'disabled' || member?.key_hash !== keyHash) return undefined;
      return await this.#claim(tx, server, member);
    });
  }

  /** Extends the lease of an epoch. Returns false if it is over. */
  async renew(leader: { serverId: string; memberId: string; epoch: number }): Promise<boolean> {
    const { storage, replica, liveness } = this.#deps;
    const renewed = await storage.write((tx) => renewLease(tx, leader, this.leaseMs));
    if (!renewed) return false;
    if (renewed.connected_replica !== replica) await liveness.stillConnected(leader.serverId, leader.epoch);
    return true;
  }

  /** Ends the lease of a leader that is stopping, so that another member need not wait for its end. */
  async release(leader: { serverId: string; memberId: string; epoch: number }): Promise<void> {
    await this.#deps.storage.write((tx) => releaseLease(tx, leader));
  }

  /** Ends the leadership of a revoked member, if it led. Its work is settled at once, because its journal is lost. */
  async revoked(tx: Tx, server: ServerRow, memberId: string): Promise<void> {
    const epoch = await endLease(tx, server.id, memberId);
    if (epoch === undefined) return;
    await this.#deps.interrupted(tx, server.id);
    await this.#deps.liveness.leaderless(tx, { ...server, connection_epoch: epoch, leader_member: null });
  }

  /** Records the end of a connection. The lease of a leader runs on: it may be about to reconnect. */
  async disconnected(memberId: string, number: number): Promise<void> {
    await this.#deps.storage.write((tx) => recordMemberGone(tx, memberId, number));
  }

  /** Shows in the records of the member and of the cluster why its daemon was refused. */
  async #refused(tx: Tx, server: ServerRow, member: MemberRow, problem: Problem): Promise<Problem> {
    const daemon_platform = withRefusal(member, problem, tx.now);
    if (daemon_platform === undefined) return problem;
    await updateMember(tx, member, { daemon_platform });
    await this.#deps.liveness.refused(tx, server, problem);
    return problem;
  }

  async #claim(tx: Tx, server: ServerRow, member: MemberRow): Promise<Term | undefined> {
    const former = server.leader_member;
    if (this.isReserved && former !== null && former !== member.id) return undefined;
    const term = await claimLease(tx, server.id, member.id, this.leaseMs);
    if (term === undefined) return undefined;
    const { epoch, since } = term;
    if (former !== null && former !== member.id) await this.#deps.interrupted(tx, server.id);
    const lease = { leader_member: member.id, leader_until: tx.now + this.leaseMs, leader_since: since };
    const now = { ...server, connection_epoch: epoch, ...lease };
    await this.#deps.liveness.lead(tx, now, leadingColumns(member));
    if (former !== member.id) await appendLeader(tx, server, member, epoch, former);
    return term;
  }

  /** Pins the first key pair of a member, and refuses any other. */
  async #presented(tx: Tx, member: MemberRow, shown: string | null): Promise<MemberRow | Problem> {
    const verdict = judgeIdentity(member, shown);
    if (verdict === 'pinned') return member;
    if (verdict === 'first') {
      const pinned = await updateMember(tx, member, { identity_key: shown, identity_pinned_at: tx.now });
      await appendIdentity(tx, 'audit.cluster_member_pinned', pinned);
      return pinned;
    }
    if (verdict !== 'conflict') return malformedIdentity();
    if (isNewConflict(member, tx.now))
      await appendIdentity(
        tx,
        'audit.cluster_member_conflict',
        await updateMember(tx, member, conflictColumns(shown, tx.now)),
      );
    return memberConflict();
  }
}

const leadingColumns = (member: MemberRow): LeadingMember => ({
  id: member.id,
  capabilities: member.capabilities,
  daemon_version: member.daemon_version,
  daemon_journal: member.daemon_journal,
  daemon_platform: member.daemon_platform,
  identity_key: member.identity_key,
  identity_pinned_at: member.identity_pinned_at,
  identity_conflict: member.identity_conflict,
  identity_conflict_at: member.identity_conflict_at,
});

const memberConflict = () =>
  new Problem('FORBIDDEN', 'Another key pair is pinned for this member of the cluster; revoke it and add it again.', {
    reason: 'identity',
  });

function appendIdentity(tx: Tx, type: `audit.${string}`, member: MemberRow): Promise<void> {
  const { id, server_id, account_id, name } = member;
  const { fingerprint, conflicting_fingerprint } = identityRecord(member);
  return append(tx, {
    type,
    accountId: account_id,
    resourceType: 'server',
    resourceId: server_id,
    actor: id,
    data: { server_id, member_id: id, name, fingerprint, conflicting_fingerprint },
  });
}

const appendLeader = (tx: Tx, server: ServerRow, member: MemberRow, epoch: number, former: string | null) =>
  append(tx, {
    type: 'audit.cluster_leader_changed',
    accountId: server.account_id,
    resourceType: 'server',
    resourceId: server.id,
    actor: member.id,
    data: { server_id: server.id, member_id: member.id, name: member.name, former_member_id: former, epoch },
  });
