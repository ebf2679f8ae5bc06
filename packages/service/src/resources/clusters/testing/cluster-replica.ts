import { until } from '@hortus/testkit/until';
import { newServerKey } from '../../../identity/tokens.ts';
import { newId } from '../../../records/ids.ts';
import { insertRow } from '../../../storage/status-columns.ts';
import type { Engine, TestDatabase } from '../../../testing/engines.ts';
import { insertAccount, serverRow } from '../../../testing/rows.ts';
import { openReplica, type Replica, type ReplicaOptions } from '../../servers/testing/replica.ts';
import { MemberConnections } from '../connections.ts';
import { Leadership } from '../leadership.ts';
import { insertMember } from '../store.ts';

export interface ClusterReplica extends Replica {
  /** Servers whose leader was replaced by another member. */
  readonly interrupted: string[];
  readonly time: LeaseTime;
  /** Lets time pass for leases, in steps too short to look like a lost database; a sweep follows each of them. */
  pass(ms: number): Promise<void>;
}

/** A lease of replicas in tests. A fifth of it may pass without a sweep. */
export const LEASE_MS = 1_000;
export const STEP_MS = LEASE_MS / 5;

/** The time of leases, which passes only when a test lets it: a busy machine ends no lease. */
export class LeaseTime {
  now = Date.now();
  readAt = 0;
  /** Called after the next look at the time between answers of the database. */
  onNextRead: (() => void) | undefined;
  readonly clock = () => this.now;
  readonly monotonicClock = () => {
    this.readAt = this.now;
    const onRead = this.onNextRead;
    this.onNextRead = undefined;
    onRead?.();
    return this.readAt;
  };
}

/** A process that clusters can connect to. */
export async function openClusterReplica(
  engine: Engine,
  database: TestDatabase,
  { time = new LeaseTime(), ...options }: ReplicaOptions & { readonly time?: LeaseTime } = {},
): Promise<ClusterReplica> {
  const interrupted: string[] = [];
  const { clock, monotonicClock } = time;
  const replica = await openReplica(engine, database, {
    ...options,
    clock,
    clusters: ({ storage, bus, replica: name, log, liveness, protect }) =>
      new MemberConnections({
        storage,
        bus,
        replica: name,
        log,
        clock,
        protect,
        everyMs: 20,
        rollCallMs: STEP_MS,
        leadership: new Leadership({
          storage,
          replica: name,
          liveness,
          leaseMs: LEASE_MS,
          monotonicClock,
          interrupted: async (_tx, id) => void interrupted.push(id),
        }),
        lost: (serverId, epoch) => liveness.disconnected(serverId, epoch, false),
      }),
  });
  return {
    ...replica,
    interrupted,
    time,
    async pass(ms) {
      for (let rest = ms; rest > 0; rest -= STEP_MS) {
        time.now += Math.min(rest, STEP_MS);
        await until(() => time.readAt === time.now, { describe: 'a sweep' });
      }
    },
  };
}

export interface InsertedMember {
  readonly id: string;
  readonly key: string;
}

/** Inserts a registered cluster with members. */
export async function insertCluster({ storage }: Pick<Replica, 'storage'>, count: number) {
  const accountId = await insertAccount(storage);
  const id = newId('server');
  await storage.write((tx) =>
    insertRow(tx, 'servers', {
      ...serverRow(tx, { accountId, serverId: id }),
      kind: 'cluster',
      key_hash: `cluster:${id}`,
      status: 'pending',
    }),
  );
  const members: InsertedMember[] = [];
  for (let number = 1; number <= count; number++) {
    const { token, hash } = newServerKey('live');
    const memberId = newId('clusterMember');
    await storage.write((tx) =>
      insertMember(tx, {
        id: memberId,
        account_id: accountId,
        server_id: id,
        name: `manager-${number}`,
        key_hash: hash,
        capabilities: '[]',
        daemon_platform: '{}',
        connection_number: 0,
        created_at: tx.now,
        updated_at: tx.now,
      }),
    );
    members.push({ id: memberId, key: token });
  }
  return { id, members: members as [InsertedMember, InsertedMember, ...InsertedMember[]] };
}
