import { generateKeyPairSync } from 'node:crypto';
import { sealingKeyText } from '@hortus/template/sealing/sealing-key';
import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import type { DaemonSocket } from '../../testing/daemon-socket.ts';
import { onDifferingEngines } from '../../testing/engines.ts';
import {
  type ClusterReplica,
  type InsertedMember,
  insertCluster,
  LEASE_MS,
  LeaseTime,
  openClusterReplica,
  STEP_MS,
} from './testing/cluster-replica.ts';

const capabilities = ['cluster', 'ack', 'wake'];
const sealingKey = () => sealingKeyText(generateKeyPairSync('x25519').publicKey);

onDifferingEngines('leases of replicas and lost databases', (engine) => {
  type Options = Parameters<typeof openClusterReplica>[2];
  const open = async (options?: Options) => openClusterReplica(engine, await engine.testDatabase(), options);

  /** Connects a member that renews its lease while it is told that it leads. */
  const connect = (replica: ClusterReplica, { key }: InsertedMember, about: object = {}) => {
    const daemon = replica.daemon(key, { capabilities, sealing_key: sealingKey(), journal: key.slice(-8), ...about });
    let last = 0;
    const renewing = setInterval(() => {
      const reported = daemon.of('leadership').at(-1);
      if (reported?.leads && daemon.isOpen && last !== -1)
        daemon.send({ type: 'leadership_renewal', epoch: reported.epoch });
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
    until(() => daemon.of('leadership').find((reported) => reported.leads && reported.epoch === epoch), {
      describe: `the member to lead in epoch ${epoch}`,
    });
  const stands = (daemon: DaemonSocket) =>
    until(() => daemon.of('leadership').find((reported) => !reported.leads), { describe: 'the member to wait' });

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
      await first.daemon.closed;
      await replica.pass(LEASE_MS);
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
      await replica.pass(LEASE_MS);
      expect(await first.daemon.closed).toBe(4410);
      await leads(second.daemon, 2);
      expect(await replica.server(id)).toMatchObject({ leader_member: members[1].id, duplicate_at: null });
    });

    it('another takes over at once when the leader gives its lease up', async () => {
      const replica = await open();
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
      const replica = await open();
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
      expect(second.daemon.of('leadership').some((reported) => reported.leads)).toBe(false);
    });

    it('a second daemon with the key of a member replaces the first, as with a server', async () => {
      const replica = await open();
      const { members } = await insertCluster(replica, 2);
      const sealing_key = sealingKey();
      const leader = connect(replica, members[0]);
      await leads(leader.daemon, 1);
      const item = connect(replica, members[1], { sealing_key });
      await stands(item.daemon);
      const two = connect(replica, members[1], { sealing_key });
      expect(await item.daemon.closed).toBe(4409);
      await stands(two.daemon);
      expect(leader.daemon.isOpen).toBe(true);
    });

    it('results of a member that does not lead are refused, and acknowledged so that it forgets them', async () => {
      const replica = await open();
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
      const replica = await open();
      const { members } = await insertCluster(replica, 2);
      expect(await connect(replica, members[0], { capabilities: ['ack'] }).daemon.closed).toBe(4403);
      const first = connect(replica, members[0]);
      await leads(first.daemon, 1);
      expect(await connect(replica, members[0], { sealing_key: sealingKey() }).daemon.closed).toBe(4403);
      expect(await connect(replica, members[1], { sealing_key: 'nonsense' }).daemon.closed).toBe(4403);
      expect(first.daemon.isOpen).toBe(true);
    });

    it('a revoked one is disconnected even if the notice is lost', async () => {
      const replica = await open();
      const { members } = await insertCluster(replica, 2);
      const first = connect(replica, members[0]);
      await leads(first.daemon, 1);
      const second = connect(replica, members[1]);
      await stands(second.daemon);
      await replica.storage.write((tx) =>
        tx.db.updateTable('server_members').set({ revoked_at: 1 }).where('id', '=', members[1].id).execute(),
      );
      await replica.pass(STEP_MS);
      expect(await second.daemon.closed).toBe(4401);
      expect(first.daemon.isOpen).toBe(true);
    });

    it('none left takes the cluster offline', async () => {
      const replica = await open({ timeouts: { takeoverMs: 100 } });
      const { id, members } = await insertCluster(replica, 2);
      const first = connect(replica, members[0]);
      await leads(first.daemon, 1);
      first.daemon.socket.terminate();
      await replica.becomes(id, { connected_replica: null });
      await replica.pass(LEASE_MS);
      await replica.becomes(id, { status: 'offline' });
      expect(replica.instances).toEqual([`regain ${id}`, `lose ${id}`]);
    });
  });

  describe('while the database is lost for longer than a lease', () => {
    /** Loses the database until the lease of the leader has ended, and what must happen in between has. */
    async function outage(
      replica: ClusterReplica,
      timeoutMs: number,
      meanwhile: () => Promise<unknown> = async () => {},
    ) {
      const { end } = replica.loseDatabase(timeoutMs);
      await meanwhile();
      replica.time.now += 2.5 * LEASE_MS;
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
    type Led = Awaited<ReturnType<typeof ledByFirst>>;
    const everLed = (daemon: DaemonSocket) => daemon.of('leadership').some((reported) => reported.leads);

    /** Expects that the first member leads on, beyond the lease that followed the outage. */
    async function leadsOn(replica: ClusterReplica, { id, members, first, second }: Led) {
      const renewals = () => first.daemon.of('leadership').length;
      for (let passedMs = 0; passedMs <= 2 * LEASE_MS; passedMs += STEP_MS) {
        const before = renewals();
        // The first of them may have been asked for earlier.
        await until(() => renewals() > before + 1, { describe: `renewals ${passedMs} ms after the outage` });
        await replica.pass(STEP_MS);
      }
      expect(await replica.server(id)).toMatchObject({ leader_member: members[0].id, connection_epoch: 1 });
      expect(first.daemon.isOpen).toBe(true);
      expect(everLed(second.daemon)).toBe(false);
      expect(replica.interrupted).toEqual([]);
    }

    it('the leader keeps its connection and its epoch, and its work goes on', async () => {
      const replica = await open();
      const led = await ledByFirst(replica);
      await outage(replica, 60_000);
      await leadsOn(replica, led);
    });

    it('the leader stays if the database was lost during a roll call', async () => {
      const replica = await open();
      const led = await ledByFirst(replica);
      const lost = new Promise<{ end(): void }>((resolve) => {
        // Read between the search for vacant clusters and the roll call.
        replica.time.onNextRead = () => resolve(replica.loseDatabase(60_000));
      });
      replica.time.now += STEP_MS;
      const { end } = await lost;
      replica.time.now += 2.5 * LEASE_MS;
      end();
      await leadsOn(replica, led);
    });

    it('a leader whose renewals were refused reconnects and leads again, and its work goes on', async () => {
      const replica = await open();
      const { id, members, sealing_key, first, second } = await ledByFirst(replica);
      await outage(replica, 200, async () => expect(await first.daemon.closed).toBe(1011));
      const again = connect(replica, members[0], { sealing_key });
      await leads(again.daemon, 2);
      expect(await replica.server(id)).toMatchObject({ leader_member: members[0].id, leader_since: 1 });
      expect(everLed(second.daemon)).toBe(false);
      expect(replica.interrupted).toEqual([]);
    });

    it('a cluster whose members all left meanwhile waits for its last leader', async () => {
      const replica = await open();
      const { members, sealing_key, other_key, first, second } = await ledByFirst(replica);
      await outage(replica, 60_000, async () => {
        for (const { daemon } of [first, second]) daemon.socket.terminate();
        await until(() => [...replica.channel.gateway.members()].every(({ isOpen }) => !isOpen), {
          describe: 'the members to have left',
        });
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
      await outage(replica, 200, async () => first.daemon.socket.terminate());
      await replica.pass(2 * LEASE_MS);
      await leads(second.daemon, 2);
      expect(replica.interrupted).toEqual([id]);
    });
  });

  // SQLite has one process.
  if (engine.name === 'postgres')
    it('a standby on another replica takes over when the replica of the leader dies', async () => {
      const database = await engine.testDatabase();
      const time = new LeaseTime();
      const replica = await openClusterReplica(engine, database, { time });
      const two = await openClusterReplica(engine, database, { time });
      const { id, members } = await insertCluster(replica, 2);
      const first = connect(replica, members[0]);
      await leads(first.daemon, 1);
      const second = connect(two, members[1]);
      await stands(second.daemon);
      first.hang();
      await replica.die();
      await two.pass(LEASE_MS);
      await leads(second.daemon, 2);
      expect(await two.server(id)).toMatchObject({ connected_replica: two.name, leader_member: members[1].id });
      expect(two.interrupted).toEqual([id]);
    });
});
