import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@hortus/testkit/until';
import type { Bus } from '../../../bus/bus.ts';
import { openLocalBus } from '../../../bus/local-bus.ts';
import { openPostgresBus } from '../../../bus/postgres-bus.ts';
import type { Connection } from '../../../channel/connection.ts';
import { Upgrades } from '../../../http/upgrades.ts';
import { Authenticator } from '../../../identity/authenticator.ts';
import { newServerKey } from '../../../identity/tokens.ts';
import { JobWorker } from '../../../jobs/worker.ts';
import { guardWith } from '../../../process/guard.ts';
import { newId } from '../../../records/ids.ts';
import { insertRow } from '../../../storage/status-columns.ts';
import type { Storage } from '../../../storage/storage.ts';
import type { Row } from '../../../storage/tables.ts';
import { DaemonSocket, type DaemonSocketOptions } from '../../../testing/daemon-socket.ts';
import type { Engine, TestDatabase } from '../../../testing/engines.ts';
import { type LosableStorage, losableStorage } from '../../../testing/losable-storage.ts';
import { QuietLog } from '../../../testing/quiet-log.ts';
import { definitionRow, insertAccount, insertDefinitionParents, serverRow } from '../../../testing/rows.ts';
import { openVault, type Vault } from '../../../vault/vault.ts';
import { onThisThread } from '../../../workers/testing/on-this-thread.ts';
import { orderProtection } from '../../manifest/protected-order.ts';
import { openManifestSigner } from '../../manifest/signer.ts';
import type { ClusterConnections } from '../cluster-connections.ts';
import { type ActionReport, type DaemonChannel, type DaemonChannelDeps, openDaemonChannel } from '../daemon-channel.ts';
import { Liveness, type LivenessDeps, SILENCE } from '../liveness/liveness.ts';

export interface ReplicaOptions
  extends Partial<Pick<DaemonChannelDeps, 'watch' | 'sweepMs' | 'rollCallMs' | 'report' | 'times'>> {
  readonly timeouts?: LivenessDeps['times'];
  readonly clock?: () => number;
  readonly clusters?: (
    parts: Pick<DaemonChannelDeps, 'storage' | 'bus' | 'replica' | 'log' | 'liveness' | 'protect'>,
  ) => ClusterConnections;
}

/** One process: the channel, liveness and jobs, without dispatching work to daemons. */
export interface Replica {
  readonly name: string;
  readonly storage: Storage;
  readonly bus: Bus;
  readonly vault: Vault;
  readonly authenticator: Authenticator;
  readonly channel: DaemonChannel;
  readonly liveness: Liveness;
  /** Calls of instances, as `lose srv_…` and `regain srv_…`. */
  readonly instances: string[];
  readonly woken: Connection[];
  readonly reports: ActionReport[];
  daemon(key: string, auth?: Partial<DaemonSocketOptions['auth']>, options?: DaemonSocketOptions): DaemonSocket;
  server(id: string): Promise<Row<'servers'>>;
  /** Waits until the row of a server has these values. */
  becomes(id: string, expected: Partial<Row<'servers'>>): Promise<Row<'servers'>>;
  /** Waits until this replica has registered a daemon's connection. The row changes slightly earlier. */
  connected(id: string, epoch?: number): Promise<Connection>;
  /** Loses the database of this replica, while others may have it. */
  readonly loseDatabase: LosableStorage['lose'];
  /** Closes the database without cleanup, like a killed process. */
  die(): Promise<void>;
}

let replicas = 0;
/** Shared by replicas of one database. */
const masterKey = randomBytes(32).toString('base64');

export async function openReplica(
  engine: Engine,
  testDatabase: TestDatabase,
  { clusters, clock, ...options }: ReplicaOptions = {},
): Promise<Replica> {
  const name = `replica-${++replicas}`;
  const log = { ...new QuietLog(), info: () => {} };
  const { storage, lose: loseDatabase } = losableStorage(await testDatabase.open(clock && { clock }));
  const { databaseUrl: url } = testDatabase;
  const bus = url === undefined ? openLocalBus({ log }) : await openPostgresBus({ url, replica: name, log });
  storage.onCommit((notices) => {
    for (const { topic, message } of notices) bus.publish(topic, message);
  });
  const vault = await openVault(storage, { masterKey, dataDirectory: '/nowhere' });
  const authenticator = new Authenticator({ storage, bus, mode: 'live', sessionIdleMs: 60_000 });
  const instances: string[] = [];
  const liveness = new Liveness({
    storage,
    replica: name,
    log,
    instances: {
      lose: async (_tx, id) => void instances.push(`lose ${id}`),
      regain: async (_tx, id) => void instances.push(`regain ${id}`),
    },
    times: { reconnectMs: 100, ...options.timeouts },
  });
  const jobs = new JobWorker({ storage, bus, replica: name, log, handlers: { [SILENCE]: liveness.silence } });
  const upgrades = new Upgrades(guardWith(log));
  const http = createServer({ shouldUpgradeCallback: upgrades.takes });
  upgrades.listenTo(http);
  const woken: Connection[] = [];
  const reports: ActionReport[] = [];
  const waiting = async () => {
    const pending = storage.reader.db.selectFrom('deployments').select('server_id').where('status', '=', 'pending');
    return (await pending.execute()).map(({ server_id }) => server_id);
  };
  const protect = orderProtection(await openManifestSigner(storage, vault));
  const channel = await openDaemonChannel({
    storage,
    bus,
    replica: name,
    liveness,
    ...(clusters && { clusters: clusters({ storage, bus, replica: name, log, liveness, protect }) }),
    log,
    work: onThisThread,
    vault,
    upgrades,
    protect,
    refuse: (socket) => socket.destroy(),
    addressOf: ({ socket }) => socket.remoteAddress ?? '',
    authenticate: (key, address) => authenticator.authenticateKey(key, address),
    deploymentWaits: async (id) => (await waiting()).includes(id),
    serversWithWork: waiting,
    dispatch: async (connection) => void woken.push(connection),
    report: async (_connection, message) => void reports.push(message),
    ...options,
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  jobs.start();

  const sockets: DaemonSocket[] = [];
  let dead = false;
  const die = async () => {
    if (dead) return;
    dead = true;
    await channel.close();
    await jobs.stop();
    http.close();
    await authenticator.close();
    await bus.close();
    await storage.close();
  };
  engine.afterwards(async () => {
    for (const { socket } of sockets) socket.terminate();
    await die();
  });
  const server = (id: string) =>
    storage.reader.db.selectFrom('servers').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return {
    name,
    storage,
    bus,
    vault,
    authenticator,
    channel,
    liveness,
    instances,
    woken,
    reports,
    daemon(key, auth = {}, socketOptions = {}) {
      const { port } = http.address() as AddressInfo;
      const all = { ...socketOptions, auth: { api_key: key, ...auth } };
      const socket = new DaemonSocket(`ws://127.0.0.1:${port}/ws/server`, all);
      sockets.push(socket);
      return socket;
    },
    server,
    async becomes(id, expected) {
      let row: Row<'servers'> | undefined;
      const wanted = Object.entries(expected);
      const last = () => JSON.stringify(wanted.map(([column]) => [column, row?.[column as keyof typeof row]]));
      return await until(
        async () => {
          row = await server(id);
          return wanted.every(([column, value]) => row?.[column as keyof typeof row] === value) && row;
        },
        { describe: () => `the server to be ${JSON.stringify(expected)}; it is ${last()}` },
      );
    },
    connected: (id, epoch) =>
      until(
        () => {
          const connection = channel.gateway.connection(id);
          return (epoch === undefined || connection?.epoch === epoch) && connection;
        },
        { describe: 'the daemon to be connected' },
      ),
    loseDatabase,
    die,
  };
}

/** Inserts a registered server; returns its key. */
export async function insertServer({ storage }: Pick<Replica, 'storage'>): Promise<{ id: string; key: string }> {
  const accountId = await insertAccount(storage);
  const { token, hash } = newServerKey('live');
  const id = newId('server');
  await storage.write((tx) =>
    insertRow(tx, 'servers', { ...serverRow(tx, { accountId, serverId: id }), key_hash: hash, status: 'pending' }),
  );
  return { id, key: token };
}

/** Inserts a pending deployment without waking the daemon. */
export async function insertPendingDeployment(storage: Storage, serverId: string): Promise<string> {
  const parents = { ...(await insertDefinitionParents(storage)), serverId };
  const id = newId('deployment');
  await storage.write(async (tx) => {
    const definition = definitionRow(tx, parents);
    await insertRow(tx, 'definitions', { ...definition, status: 'pending' });
    await insertRow(tx, 'deployments', {
      id,
      account_id: parents.accountId,
      definition_id: definition.id,
      server_id: serverId,
      status: 'pending',
      kind: 'deploy',
      revision: 1,
      template_id: parents.templateId,
      spec_hash: 'sha256:0',
      log_lines: 0,
      created_at: tx.now,
      updated_at: tx.now,
    });
  });
  return id;
}
