import { generateKeyPairSync } from 'node:crypto';
import { sealingKeyText } from '@hortus/template/sealing/sealing-key';
import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import type { DaemonSocket } from '../../testing/daemon-socket.ts';
import { onBothEngines } from '../../testing/engines.ts';
import {
  type ClusterReplica,
  type InsertedMember,
  insertCluster,
  openClusterReplica,
} from './testing/cluster-replica.ts';

const capabilities = ['cluster', 'ack', 'wake'];
const sealingKey = () => sealingKeyText(generateKeyPairSync('x25519').publicKey);

onBothEngines((engine) => {
  type Options = Parameters<typeof openClusterReplica>[2];
  const open = async (options?: Options) => openClusterReplica(engine, await engine.testDatabase(), options);

  /** Connects a member that renews its lease while it is told that it leads. */
  const connect = (replica: ClusterReplica, { key }: InsertedMember, about: object = {}) => {
    const daemon = replica.daemon(key, { capabilities, sealing_key: sealingKey(), journal: key.slice(-8), ...about });
    let last = 0;
    const renewing = setInterval(() => {
      const told = daemon.of('leadership').at(-1);
      if (told?.leads && daemon.isOpen && last !== -1) daemon.send({ type: 'leadership_renewal', epoch: told.epoch });
    }, 100);
    engine.afterwards(() => clearInterval(renewing));
    return {
      daemon,
      /** Keeps its connection, and says nothing more. */
      hang() {
        last = -1;
      },
    };
  };
  const leads = (daemon: DaemonSocket, epoch: number) =>
    until(() => daemon.of('leadership').find((told) => told.leads && told.epoch === epoch), {
      describe: `the member to lead in epoch ${epoch}`,
    });
  const stands = (daemon: DaemonSocket) =>
    until(() => daemon.of('leadership').find((told) => !told.leads), { describe: 'the member to wait' });

  describe('of the members of a cluster', () => {
    it('the first to connect leads, and the others wait without orders', async () => {
      const replica = await open();
      const { id, members } = await insertCluster(replica, 2);
      const first = connect(replica, members[0]);
      await leads(first.daemon, 1);
      const second = connect(replica, members[1]);
      await stands(second.daemon);
      expect(await replica.server(id)).toMatchObject({
        status: 'online',
        leader_member: members[0].id,
        connection_epoch: 1,
        daemon_journal: members[0].key.slice(-8),
      });
      expect(replica.channel.gateway.connection(id)?.memberId).toBe(members[0].id);
      expect(replica.woken.map(({ memberId }) => memberId)).toEqual([members[0].id]);
      expect(first.daemon.isOpen && second.daemon.isOpen).toBe(true);
    });

    it('another takes over in a higher epoch when the connection of the leader is lost', async () => {
      const replica = await open();
      const { id, members } = await insertCluster(replica, 2);
      const first = connect(replica, members[0]);
      await leads(first.daemon, 1);
      const second = connect(replica, members[1]);
      await stands(second.daemon);
      first.daemon.socket.terminate();
      await leads(second.daemon, 2);
      expect(await replica.server(id)).toMatchObject({
        status: 'online',
        leader_member: members[1].id,
        identity_key: expect.any(String),
        daemon_journal: members[1].key.slice(-8),
      });
      expect(replica.interrupted).toEqual([id]);
      expect(replica.instances).toEqual([`regain ${id}`]);
      // The former leader comes back and waits.
      const again = connect(replica, members[0], { sealing_key: undefined });
      expect(await again.daemon.closed).toBe(4403);
    });

    it('a leader that no longer renews is deposed, and another takes over', async () => {
      const replica = await open();
      const { id, members } = await insertCluster(replica, 2);
      const first = connect(replica, members[0]);
      await leads(first.daemon, 1);
      const second = connect(replica, members[1]);
      await stands(second.daemon);
      first.hang();
      expect(await first.daemon.closed).toBe(4410);
      await leads(second.daemon, 2);
      expect(await replica.server(id)).toMatchObject({ leader_member: members[1].id, duplicate_at: null });
    });

    it('another takes over at once when the leader gives its lease up', async () => {
      const replica = await open({ leaseMs: 600_000 });
      const { members } = await insertCluster(replica, 2);
      const first = connect(replica, members[0]);
      await leads(first.daemon, 1);
      const second = connect(replica, members[1]);
      await stands(second.daemon);
      first.hang();
      first.daemon.send({ type: 'leadership_release', epoch: 1 });
      await leads(second.daemon, 2);
      expect(await first.daemon.closed).toBe(4410);
    });

    it('the leader that reconnects within its lease leads again, and its work is not interrupted', async () => {
      const replica = await open({ leaseMs: 600_000 });
      const { id, members } = await insertCluster(replica, 2);
      const sealing_key = sealingKey();
      const first = connect(replica, members[0], { sealing_key });
      await leads(first.daemon, 1);
      const second = connect(replica, members[1]);
      await stands(second.daemon);
      first.daemon.socket.terminate();
      await replica.becomes(id, { connected_replica: null });
      const again = connect(replica, members[0], { sealing_key });
      await leads(again.daemon, 2);
      expect(replica.interrupted).toEqual([]);
      expect(second.daemon.of('leadership').some((told) => told.leads)).toBe(false);
    });

    it('a second daemon with the key of a member replaces the first, as with a server', async () => {
      const replica = await open({ leaseMs: 600_000 });
      const { members } = await insertCluster(replica, 2);
      const sealing_key = sealingKey();
      const leader = connect(replica, members[0]);
      await leads(leader.daemon, 1);
      const one = connect(replica, members[1], { sealing_key });
      await stands(one.daemon);
      const two = connect(replica, members[1], { sealing_key });
      expect(await one.daemon.closed).toBe(4409);
      await stands(two.daemon);
      expect(leader.daemon.isOpen).toBe(true);
    });

    it('results of a member that does not lead are refused, and acknowledged so that it forgets them', async () => {
      const replica = await open({ leaseMs: 600_000 });
      const { members } = await insertCluster(replica, 2);
      const first = connect(replica, members[0]);
      await leads(first.daemon, 1);
      const second = connect(replica, members[1]);
      await stands(second.daemon);
      second.daemon.send({ type: 'action_completed', execution_id: 'exe_1', exit_code: 0 });
      await second.daemon.received('result_recorded');
      expect(replica.reports).toEqual([]);
      second.daemon.send({ type: 'leadership_renewal', epoch: 1 });
      expect(await second.daemon.closed).toBe(4410);
      expect(first.daemon.isOpen).toBe(true);
    });

    it('one without the capability, or with another key pair, is refused', async () => {
      const replica = await open({ leaseMs: 600_000 });
      const { members } = await insertCluster(replica, 2);
      expect(await connect(replica, members[0], { capabilities: ['ack'] }).daemon.closed).toBe(4403);
      const first = connect(replica, members[0]);
      await leads(first.daemon, 1);
      expect(await connect(replica, members[0], { sealing_key: sealingKey() }).daemon.closed).toBe(4403);
      expect(await connect(replica, members[1], { sealing_key: 'nonsense' }).daemon.closed).toBe(4403);
      expect(first.daemon.isOpen).toBe(true);
    });

    it('a revoked one is disconnected even if the notice is lost', async () => {
      const replica = await open({ leaseMs: 600_000 });
      const { members } = await insertCluster(replica, 2);
      const first = connect(replica, members[0]);
      await leads(first.daemon, 1);
      const second = connect(replica, members[1]);
      await stands(second.daemon);
      await replica.storage.write((tx) =>
        tx.db.updateTable('server_members').set({ revoked_at: 1 }).where('id', '=', members[1].id).execute(),
      );
      expect(await second.daemon.closed).toBe(4401);
      expect(first.daemon.isOpen).toBe(true);
    });

    it('none left takes the cluster offline', async () => {
      const replica = await open({ patience: { takeoverMs: 100 } });
      const { id, members } = await insertCluster(replica, 2);
      const first = connect(replica, members[0]);
      await leads(first.daemon, 1);
      first.daemon.socket.terminate();
      await replica.becomes(id, { status: 'offline' });
      expect(replica.instances).toEqual([`regain ${id}`, `lose ${id}`]);
    });
  });

  describe('while the database is lost for longer than a lease', () => {
    /** Loses the database until the lease of the leader has ended. */
    async function outage(replica: ClusterReplica, patienceMs: number, meanwhile: () => void = () => {}) {
      const { end } = replica.loseDatabase(patienceMs);
      const begun = performance.now();
      meanwhile();
      await until(() => performance.now() > begun + 2_500, { describe: 'the end of the lease' });
      end();
    }
    async function ledByFirst(replica: ClusterReplica) {
      const { id, members } = await insertCluster(replica, 2);
      const sealing_key = sealingKey();
      const first = connect(replica, members[0], { sealing_key });
      await leads(first.daemon, 1);
      const other_key = sealingKey();
      const second = connect(replica, members[1], { sealing_key: other_key });
      await stands(second.daemon);
      return { id, members, sealing_key, other_key, first, second };
    }
    const everLed = (daemon: DaemonSocket) => daemon.of('leadership').some((told) => told.leads);

    it('the leader keeps its connection and its epoch, and its work goes on', async () => {
      const replica = await open();
      const { id, first, second, members } = await ledByFirst(replica);
      await outage(replica, 60_000);
      const before = first.daemon.of('leadership').length;
      // Longer than a lease.
      await until(() => first.daemon.of('leadership').length > before + 20, { describe: 'renewals after the outage' });
      expect(await replica.server(id)).toMatchObject({ leader_member: members[0].id, connection_epoch: 1 });
      expect(first.daemon.isOpen).toBe(true);
      expect(everLed(second.daemon)).toBe(false);
      expect(replica.interrupted).toEqual([]);
    });

    it('a leader whose renewals were refused reconnects and leads again, and its work goes on', async () => {
      const replica = await open({ leaseMs: 2_000 });
      const { id, members, sealing_key, first, second } = await ledByFirst(replica);
      await outage(replica, 200);
      expect(await first.daemon.closed).toBe(1011);
      const again = connect(replica, members[0], { sealing_key });
      await leads(again.daemon, 2);
      expect(await replica.server(id)).toMatchObject({ leader_member: members[0].id, leader_since: 1 });
      expect(everLed(second.daemon)).toBe(false);
      expect(replica.interrupted).toEqual([]);
    });

    it('a cluster whose members all left meanwhile waits for its last leader', async () => {
      const replica = await open({ leaseMs: 2_000 });
      const { members, sealing_key, other_key, first, second } = await ledByFirst(replica);
      await outage(replica, 60_000, () => {
        for (const { daemon } of [first, second]) daemon.socket.terminate();
      });
      const standby = connect(replica, members[1], { sealing_key: other_key });
      await stands(standby.daemon);
      await leads(connect(replica, members[0], { sealing_key }).daemon, 2);
      expect(everLed(standby.daemon)).toBe(false);
      expect(replica.interrupted).toEqual([]);
    });

    it('another member takes over a lease later if the leader is gone too', async () => {
      const replica = await open();
      const { id, first, second } = await ledByFirst(replica);
      await outage(replica, 200, () => first.daemon.socket.terminate());
      await leads(second.daemon, 2);
      expect(replica.interrupted).toEqual([id]);
    });
  });

  // SQLite has one process.
  if (engine.name === 'postgres')
    it('a standby on another replica takes over when the replica of the leader dies', async () => {
      const database = await engine.testDatabase();
      const [one, two] = [await openClusterReplica(engine, database), await openClusterReplica(engine, database)];
      const { id, members } = await insertCluster(one, 2);
      const first = connect(one, members[0]);
      await leads(first.daemon, 1);
      const second = connect(two, members[1]);
      await stands(second.daemon);
      first.hang();
      await one.die();
      await leads(second.daemon, 2);
      expect(await two.server(id)).toMatchObject({ connected_replica: two.name, leader_member: members[1].id });
      expect(two.interrupted).toEqual([id]);
    });
});
