import { newServerKey } from '../../../identity/tokens.ts';
import { newId } from '../../../ids.ts';
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
}

/** A process that clusters can connect to, with a short lease. */
export async function openClusterReplica(
  engine: Engine,
  database: TestDatabase,
  { leaseMs = 1_000, ...options }: ReplicaOptions & { readonly leaseMs?: number } = {},
): Promise<ClusterReplica> {
  const interrupted: string[] = [];
  const replica = await openReplica(engine, database, {
    ...options,
    clusters: ({ storage, bus, replica: name, log, liveness }) =>
      new MemberConnections({
        storage,
        bus,
        replica: name,
        log,
        everyMs: 20,
        rollCallMs: 50,
        leadership: new Leadership({
          storage,
          replica: name,
          liveness,
          leaseMs,
          interrupted: async (_tx, id) => void interrupted.push(id),
        }),
        lost: (serverId, epoch) => liveness.disconnected(serverId, epoch, false),
      }),
  });
  return { ...replica, interrupted };
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
