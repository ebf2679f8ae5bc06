import { connect } from 'node:net';
import { errorTable } from '@hortus/contract/errors';
import { until } from '@hortus/testkit/until';
import { newId } from '../../records/ids.ts';
import { insertRow } from '../../storage/status-columns.ts';
import type { RunningService } from '../running-service.ts';
import { Dice } from './dice.ts';
import { type RawBytes, rawFrames, rawRequests } from './raw-bytes.ts';

export interface SocketFuzzOptions {
  readonly seed: number;
  readonly seconds: number;
  /** Minimum number of connections, however short the time is. */
  readonly min?: number;
  /** A connection that is neither answered nor closed within this time counts as hanging. */
  readonly closeWithinMs?: number;
}

export interface SocketOutcome {
  readonly connections: number;
  /** Number of answers by status; 101 is an upgrade. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Connections that became an end of a transfer. */
  readonly transferEnds: number;
}

const AT_ONCE = 20;
/** Excludes statuses that Node answers by itself, such as 408. */
const published = new Set<number>([
  ...Object.values(errorTable).flatMap(({ status }) => (status < 500 ? [status] : [])),
  ...[100, 101, 200, 302],
]);
/** An end of a transfer may wait for the other end; by then the service has read everything written to it. */
const WEBSOCKET_TIMEOUT_MS = 200;

/**
 * Sends bytes that are not, or almost, a request on raw sockets: odd targets, upgrades, pipelines, broken frames,
 * connections that end or are reset in the middle. Throws if the service answers 5xx, answers more often than it was
 * asked, leaves a connection open, or does not catch an error.
 */
export async function fuzzSockets(service: RunningService, options: SocketFuzzOptions): Promise<SocketOutcome> {
  const { seed, seconds, min = 200 } = options;
  const dice = new Dice(seed);
  const [from, to] = [await register(service, `raw from ${seed}`), await register(service, `raw to ${seed}`)];
  const transfer = { id: await openTransfer(service, from.id, to.id), keys: [from.api_key, to.api_key] };
  const credentials = [service.key, from.api_key, 'hk_live_none', ''];
  const statuses: Record<number, number> = {};
  const thrown: Error[] = [];
  const note = (error: Error) => void thrown.push(error);
  process.on('uncaughtExceptionMonitor', note);
  const end = performance.now() + seconds * 1_000;
  let connections = 0;
  let transferEnds = 0;
  try {
    while (connections < min || performance.now() < end) {
      const batch = Array.from({ length: AT_ONCE }, () =>
        dice.oneIn(4) ? rawFrames(dice, credentials, transfer) : rawRequests(dice, credentials),
      );
      const ways = batch.map((): Way => dice.of(['read', 'read', 'read', 'half-closed', 'reset', 'trickled']));
      const responses = await Promise.all(batch.map((raw, i) => send(service, raw, ways[i] as Way, options)));
      for (const [i, response] of responses.entries()) count(statuses, batch[i] as RawBytes, response, seed);
      connections += AT_ONCE;
      transferEnds += batch.filter(
        ({ isTransferEnd }, i) => isTransferEnd && responses[i]?.startsWith('HTTP/1.1 101'),
      ).length;
      if (thrown.length > 0) throw new Error(`seed ${seed}: something was thrown and not caught`, { cause: thrown[0] });
      const health = await service.request('GET', '/health', { key: null });
      if (health.status !== 200) throw new Error(`seed ${seed}: health answered ${health.status}`);
    }
  } finally {
    process.off('uncaughtExceptionMonitor', note);
  }
  await until(() => openConnections(service).then((open) => open <= AT_ONCE), {
    describe: 'the connections to be closed',
  });
  return { connections, statuses, transferEnds };
}

const register = async ({ client }: RunningService, name: string) =>
  (await client.call('servers.register', { body: { name, environment: 'development' } })).data;

/**
 * Inserts an empty transfer between two servers; the service itself creates one only for daemons that move something.
 */
async function openTransfer({ database, accountId }: RunningService, from: string, to: string): Promise<string> {
  const id = newId('transfer');
  await insertRow(database, 'transfers', {
    id,
    account_id: accountId,
    migration_id: null,
    import_id: null,
    backup_id: null,
    definition_id: newId('definition'),
    instance_uid: 'raw',
    storage: 'data',
    volume: 'raw-data',
    mode: 'stage',
    from_server_id: from,
    to_server_id: to,
    status: 'running',
    chunks: 0,
    bytes: 0,
    carried_bytes: 0,
    sha256: null,
    error: null,
    meeting_url: null,
    created_at: database.now,
    updated_at: database.now,
    started_at: null,
    finished_at: null,
  });
  return id;
}

type Way = 'read' | 'half-closed' | 'reset' | 'trickled';

function send({ base }: RunningService, raw: RawBytes, way: Way, options: SocketFuzzOptions): Promise<string> {
  const { closeWithinMs = 20_000 } = options;
  const { hostname, port } = new URL(base);
  return new Promise((done, fail) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let received = '';
    const late = setTimeout(() => {
      socket.destroy();
      fail(
        new Error(`Nothing closed this connection (${way}): ${shown(raw)}\nIt had answered: ${received.slice(0, 500)}`),
      );
    }, closeWithinMs);
    let timeout: NodeJS.Timeout | undefined;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      if (received.startsWith('HTTP/1.1 101')) timeout ??= setTimeout(() => socket.destroy(), WEBSOCKET_TIMEOUT_MS);
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(late);
      clearTimeout(timeout);
      done(received);
    });
    socket.on('connect', () => {
      if (way === 'reset') socket.write(raw.bytes, () => socket.resetAndDestroy());
      else if (way === 'half-closed') socket.end(raw.bytes);
      else if (way === 'trickled') {
        const middle = Math.floor(raw.bytes.length / 2);
        socket.write(raw.bytes.subarray(0, middle), () => socket.end(raw.bytes.subarray(middle)));
      } else socket.write(raw.bytes, () => socket.end());
    });
  });
}

function count(statuses: Record<number, number>, raw: RawBytes, response: string, seed: number): void {
  const found = [...response.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z]/g)].map(([, status]) => Number(status));
  const bad = found.filter((status) => !published.has(status));
  const final = found.filter((status) => status !== 100);
  if (bad.length > 0 || final.length > raw.requests)
    throw new Error(`seed ${seed}: ${shown(raw)}\nwas answered ${found.join()}: ${response.slice(0, 2_000)}`);
  for (const status of final) statuses[status] = (statuses[status] ?? 0) + 1;
}

const shown = ({ bytes }: RawBytes): string => JSON.stringify(bytes.toString('latin1').slice(0, 2_000));

const openConnections = ({ app }: RunningService): Promise<number> =>
  new Promise((done, fail) => {
    app.http.server.getConnections((error, open) => (error ? fail(error) : done(open)));
  });
