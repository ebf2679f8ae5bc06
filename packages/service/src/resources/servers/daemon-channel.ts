import type { UpdateReport } from '@hortus/contract/releases/daemon-update';
import type { Bus } from '../../bus/bus.ts';
import type { Connection } from '../../channel/connection.ts';
import { Gateway, type GatewayOptions, type Greeting, type Report } from '../../channel/gateway.ts';
import type { Protect } from '../../channel/protect.ts';
import { Waker } from '../../channel/waker.ts';
import { domainAt } from '../../config/apps-domain.ts';
import { KEYS_TOPIC } from '../../identity/authenticator.ts';
import { Problem, unauthorized } from '../../problem.ts';
import { guardWith } from '../../process/guard.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { ClusterConnections } from './cluster-connections.ts';
import { IDENTITY_TOPIC } from './identities.ts';
import { KeyHandover, ROTATE_TOPIC } from './key-handover.ts';
import { type Hello, type Liveness, REPLACED_TOPIC } from './liveness/liveness.ts';
import { Replicas, type ReplicasOptions } from './liveness/replicas.ts';
import { RollCall } from './liveness/roll-call.ts';

/** Messages of daemons about executions. */
export type ActionReport = Exclude<
  Report,
  { type: 'key_rotated' | 'daemon_update_report' | 'leadership_renewal' | 'leadership_release' }
>;

export interface DaemonChannelDeps extends Omit<GatewayOptions, 'handlers'> {
  readonly storage: Storage;
  readonly bus: Bus;
  readonly vault: Pick<Vault, 'decrypt'>;
  /** Signs and seals messages to daemons. */
  readonly protect: Protect;
  readonly replica: string;
  readonly liveness: Liveness;
  readonly clusters?: ClusterConnections;
  /** Sends a daemon its pending executions: on connect, when the bus announces work, and periodically. */
  readonly dispatch: (connection: Connection) => Promise<void>;
  /** Records a report about an execution. Idempotent. */
  readonly report: (connection: Connection, message: ActionReport) => Promise<void>;
  /** Records the state of an update of a daemon. Idempotent. */
  readonly updateReported?: (connection: Connection, report: UpdateReport) => Promise<void>;
  /** Whether a daemon has a deployment to start or to cancel. */
  readonly deploymentWaits: (serverId: string) => Promise<boolean>;
  /** Whether a daemon has a transfer to start. */
  readonly transferWaits?: (serverId: string) => Promise<boolean>;
  /** Lists servers with pending work of any kind; `epochOf` knows the connections held by this process. */
  readonly serversWithWork: (epochOf: (serverId: string) => number | undefined) => Promise<readonly string[]>;
  readonly watch?: Pick<ReplicasOptions, 'beatMs' | 'deadAfterMs' | 'cutOffMs'>;
  readonly sweepMs?: number;
  readonly rollCallMs?: number;
  /** HORTUS_APPS_DOMAIN. */
  readonly appsDomain?: string | undefined;
}

export interface DaemonChannel {
  readonly gateway: Gateway;
  /** Call before the HTTP server closes, which waits for the last socket. */
  close(): Promise<void>;
}

/** Opens the channel. Daemons may connect once this resolves. */
export async function openDaemonChannel(deps: DaemonChannelDeps): Promise<DaemonChannel> {
  const { storage, bus, replica, liveness, clusters, log } = deps;
  const handover = new KeyHandover(deps);
  let stopping = false;

  const guard = guardWith(log);
  const replicas = new Replicas({
    storage,
    replica,
    liveness,
    log,
    givenUp: () => rollCall.wake(),
    // The daemons would otherwise notice it by their next report, while their servers are offline for the other replicas.
    cutOff: guard(() => gateway.sendAway('this replica cannot reach the database')),
    returned: () => rollCall.missed(),
    ...deps.watch,
  });
  await replicas.start();
  const gateway = new Gateway({
    ...deps,
    handlers: {
      connected: async (connection, about) => {
        const { serverId, memberId } = connection;
        const hello = helloOf(connection, about, deps.appsDomain);
        if (memberId === '') return liveness.connected(serverId, hello);
        if (!clusters) throw unauthorized();
        return clusters.connected(connection, hello);
      },
      async opened(connection) {
        if (connection.memberId === '') await rollCall.attend(connection);
        else clusters?.opened(connection);
        if (!connection.standby) await waker.wake(connection);
      },
      async message(connection, message) {
        if (message.type === 'leadership_renewal') await clusters?.renewed(connection, message);
        else if (message.type === 'leadership_release') await clusters?.released(connection, message.epoch);
        else if (message.type === 'key_rotated') await handover.acknowledged(connection, message.rotation);
        else if (message.type === 'daemon_update_report') await deps.updateReported?.(connection, message);
        else await record(deps, connection, message);
      },
      // A stopping process leaves its daemons time to reconnect elsewhere; other replicas detect that it is gone.
      disconnected: async (connection) => {
        if (stopping) return;
        const { serverId, memberId, standby, epoch, replaced, responded } = connection;
        if (!standby) await liveness.disconnected(serverId, epoch, replaced && responded);
        if (memberId !== '') await clusters?.disconnected(connection);
      },
    },
  });
  const waker = new Waker({
    gateway,
    bus,
    log,
    async wake(connection) {
      await deps.dispatch(connection);
      if (connection.capabilities.has('transfer') && (await deps.transferWaits?.(connection.serverId)))
        connection.send({ type: 'transfer_available' });
      if (!connection.capabilities.has('wake')) return;
      if (await deps.deploymentWaits(connection.serverId)) connection.send({ type: 'deployment_available' });
    },
    waiting: () => deps.serversWithWork((serverId) => gateway.connection(serverId)?.epoch),
    ...(deps.sweepMs !== undefined && { sweepMs: deps.sweepMs }),
  });
  const rollCall = new RollCall({
    storage,
    replica,
    gateway,
    liveness,
    log,
    offerKey: (connection) => handover.offer(connection),
    ...(deps.rollCallMs !== undefined && { everyMs: deps.rollCallMs }),
  });

  const subscriptions = [
    bus.subscribe(REPLACED_TOPIC, (message) => {
      const [serverId = '', epoch, memberId = ''] = message.split(' ');
      const connection = gateway.connection(serverId);
      if (connection && connection.epoch < Number(epoch)) connection.supersede(memberId);
    }),
    bus.subscribe(KEYS_TOPIC, (hash) => {
      for (const connection of gateway.connections()) connection.keyDied(hash);
      for (const connection of gateway.members()) if (connection.standby) connection.keyDied(hash);
    }),
    bus.subscribe(IDENTITY_TOPIC, (serverId) => {
      const connection = gateway.connection(serverId);
      if (connection?.memberId !== '') return;
      rollCall
        .attend(connection)
        .catch((err) => log.error({ err, server_id: serverId }, 'roll call of a new connection failed'));
    }),
    bus.subscribe(ROTATE_TOPIC, (serverId) => {
      const connection = gateway.connection(serverId);
      if (!connection) return;
      handover
        .offer(connection)
        .catch((err) => log.error({ err, server_id: serverId }, 'handing over a new server key failed'));
    }),
  ];
  bus.onGap(() => rollCall.wake());
  waker.start();
  rollCall.start();
  clusters?.start(gateway);

  return {
    gateway,
    async close() {
      stopping = true;
      for (const unsubscribe of subscriptions) unsubscribe();
      await Promise.all([waker.stop(), rollCall.stop(), replicas.stop(), clusters?.stop()]);
      await gateway.close();
    },
  };
}

function helloOf(connection: Connection, about: Greeting, appsDomain: string | undefined): Hello {
  const { keyHash, capabilities, journal, sealingKey, address } = connection;
  return {
    keyHash,
    capabilities: [...capabilities],
    version: about.version,
    journal,
    sealingKey,
    platform: {
      ...(about.os && { os: about.os }),
      ...(about.arch && { arch: about.arch }),
      ...(about.engine && { engine: about.engine }),
      ...(about.ingress && { ingress: about.ingress }),
      ...(about.ingress_ports && { ingress_ports: about.ingress_ports }),
      address,
      ...(appsDomain !== undefined && { apps_domain: domainAt(appsDomain, address) }),
    },
  };
}

/** A result that can never be recorded is acknowledged too, because sending it again would not help. */
async function record({ report }: DaemonChannelDeps, connection: Connection, message: ActionReport): Promise<void> {
  const acknowledge = () => {
    if (message.type === 'action_started') return;
    connection.send({ type: 'result_recorded', execution_id: message.execution_id });
  };
  try {
    if (connection.standby) throw notLeading();
    await report(connection, message);
  } catch (error) {
    if (error instanceof Problem) acknowledge();
    throw error;
  }
  acknowledge();
}

/** Its executions ended when another member took over; see `clusters/leadership.ts`. */
const notLeading = () =>
  new Problem('FORBIDDEN', 'This member does not lead its cluster; the execution has ended.', { reason: 'not_leader' });
