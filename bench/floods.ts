import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { TRANSFER_PROTOCOL } from '@hortus/contract/protocol/transfer';
import { newId } from '@hortus/service/records/ids';
import { type Bench, type Figure, median } from './claim.ts';
import { startService } from './service-process.ts';

type Service = Awaited<ReturnType<typeof startService>>;

const MB = 1e6;
const FLOOD_MS = 10_000;
const BODY_BYTES = 8 * 1024 * 1024;
/** Pings with a payload that each pong would repeat. */
const pings = Buffer.concat(
  Array.from({ length: 500 }, () => Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125, 'x')])),
);

interface Flood {
  readonly claim: string;
  /** Allowed growth of the process in megabytes. */
  readonly max: number;
  run(service: Service, sockets: Socket[]): Promise<void>;
}

const floods: readonly Flood[] = [
  {
    claim: 'bytes of a transfer that its other end never reads, 10 s',
    max: 96,
    async run(service, sockets) {
      const { transferId, keys } = await openTransfer(service);
      const [socket, other] = keys.map((key) =>
        dial(service, sockets, handshake(`/ws/transfer?transfer_id=${transferId}`, key, TRANSFER_PROTOCOL)),
      );
      await Promise.all([onResponse(socket), onResponse(other)]);
      other?.pause();
      await pour(socket as Socket, Buffer.alloc(64 * 1024, 'x'));
    },
  },
  {
    claim: 'pings on the channel of a daemon that are never read, 10 s',
    max: 64,
    async run(service, sockets) {
      const { api_key } = await register(service, 'pings');
      const socket = dial(service, sockets, handshake('/ws/server', api_key));
      const auth = Buffer.from(JSON.stringify({ type: 'auth', api_key, capabilities: ['ack'] }));
      socket.write(Buffer.concat([Buffer.from([0x81, 0xfe, auth.length >> 8, auth.length & 255, 0, 0, 0, 0]), auth]));
      let received = '';
      while (!received.includes('"authenticated"')) {
        const [bytes] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
        if (!Buffer.isBuffer(bytes)) throw new Error(`The channel refused the key: ${received}`);
        received += bytes;
      }
      await pour(socket, pings);
    },
  },
  {
    claim: '3,000 requests for large answers on 50 connections that are never read',
    max: 64,
    async run(service, sockets) {
      const path = '/templates?per_page=100&q=a';
      const { length } = await (
        await fetch(service.base + path, { headers: { authorization: `Bearer ${service.key}` } })
      ).text();
      if (length < 50_000) throw new Error(`The answer is not large: ${length} bytes.`);
      const ask = `GET /api/v1${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;
      for (let i = 0; i < 50; i++) dial(service, sockets, ask.repeat(60)).pause();
      await pause(FLOOD_MS);
    },
  },
  {
    claim: '150 bodies of 8 MiB of one caller that never end',
    max: 128,
    run: (service, sockets) => slowBodies(service, sockets, [service.key]),
  },
  {
    claim: '150 bodies of 8 MiB of 30 callers that never end',
    max: 320,
    async run(service, sockets) {
      const keys = await Promise.all(
        Array.from({ length: 30 }, async (_, i) => (await register(service, `bodies ${i}`)).api_key),
      );
      await slowBodies(service, sockets, keys);
    },
  },
  {
    claim: '5,000 connections of one address that say nothing',
    max: 64,
    async run(service, sockets) {
      for (let i = 0; i < 5_000; i++) {
        const socket = dial(service, sockets, 'GET / HTTP/1.1\r\n');
        if (i % 100 === 0) await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
      }
      await pause(1_000);
    },
  },
];

/** Measures how far the memory of the service grows under each flood, each on a fresh service. */
export const floodsBench: Bench = {
  name: 'floods',
  async run(repetitions) {
    const figures: Figure[] = [];
    for (const flood of floods) {
      const grown: number[] = [];
      for (let i = 0; i < repetitions; i++) grown.push(await growth(flood));
      const value = median(grown) / MB;
      figures.push({
        claim: `memory that the service grows by: ${flood.claim}`,
        value,
        unit: 'MB',
        against: { name: 'MB', value: flood.max },
        ratio: value / flood.max,
        promise: { atMost: 1 },
      });
    }
    return figures;
  },
};

async function growth(flood: Flood): Promise<number> {
  const service = await startService();
  const sockets: Socket[] = [];
  let max = 0;
  let watch: NodeJS.Timeout | undefined;
  try {
    // Excludes the code loaded by the first requests.
    for (let i = 0; i < 200; i++) await service.client.call('templates.list', { query: { page: 1 } });
    const before = service.memory();
    watch = setInterval(() => {
      max = Math.max(max, service.memory() - before);
    }, 50);
    await flood.run(service, sockets);
    const health = await fetch(`${service.base}/health`);
    if (!health.ok && health.status !== 429) throw new Error(`Health answered ${health.status} under the flood.`);
    return max;
  } finally {
    clearInterval(watch);
    for (const socket of sockets) socket.destroy();
    await service.stop();
  }
}

async function slowBodies(service: Service, sockets: Socket[], keys: readonly string[]): Promise<void> {
  const piece = Buffer.alloc(64 * 1024, ' ');
  const sent: Promise<void>[] = [];
  for (let i = 0; i < 150; i++) {
    const socket = dial(
      service,
      sockets,
      `PUT /api/v1/actions/exe_x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${keys[i % keys.length]}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`,
    );
    socket.resume();
    sent.push(
      (async () => {
        // Everything except the end of the body.
        for (let bytes = piece.length; bytes < BODY_BYTES && !socket.destroyed; bytes += piece.length) {
          socket.write(piece);
          await drained(socket);
        }
      })(),
    );
  }
  await Promise.race([Promise.all(sent), pause(FLOOD_MS * 3)]);
  await pause(1_000);
}

async function pour(socket: Socket, bytes: Buffer): Promise<void> {
  const end = performance.now() + FLOOD_MS;
  socket.pause();
  while (performance.now() < end && !socket.destroyed) {
    socket.write(bytes);
    await drained(socket, end);
  }
}

async function drained(socket: Socket, end = Number.POSITIVE_INFINITY): Promise<void> {
  while (socket.writableNeedDrain && !socket.destroyed && performance.now() < end) await pause(2);
}

function dial({ root }: Service, sockets: Socket[], first: string): Socket {
  const socket = connect(Number(new URL(root).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(first);
  sockets.push(socket);
  return socket;
}

const handshake = (path: string, key: string, protocol = 'websocket') =>
  `GET /api/v1${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nAuthorization: Bearer ${key}\r\n\r\n`;

async function onResponse(socket: Socket | undefined): Promise<void> {
  const [response] = (await once(socket as Socket, 'data')) as [Buffer];
  if (!String(response).startsWith('HTTP/1.1 101')) throw new Error(`No upgrade: ${response}`);
}

const register = async ({ client }: Service, name: string) =>
  (await client.call('servers.register', { body: { name, environment: 'production' } })).data;

/** Inserts a transfer between two servers into the database; the service creates one only for a migration. */
async function openTransfer(service: Service): Promise<{ transferId: string; keys: string[] }> {
  const [from, to] = [await register(service, 'from'), await register(service, 'to')];
  const db = new DatabaseSync(join(service.folder, 'hortus.db'), {
    timeout: 10_000,
    enableForeignKeyConstraints: false,
  });
  const transferId = newId('transfer');
  const { account_id } = db.prepare('select account_id from servers limit 1').get() as { account_id: string };
  const known: Record<string, string | number> = {
    id: transferId,
    account_id,
    from_server_id: from.id,
    to_server_id: to.id,
    status: 'running',
    mode: 'stage',
  };
  const columns = db
    .prepare(`select name, type, "notnull" as needed, dflt_value from pragma_table_info('transfers')`)
    .all();
  const row = columns.flatMap(({ name, type, needed, dflt_value }) => {
    if (String(name) in known) return [[String(name), known[String(name)] as string | number] as const];
    if (!needed || dflt_value !== null) return [];
    return [[String(name), type === 'TEXT' ? '' : 0] as const];
  });
  const names = row.map(([name]) => name).join();
  db.prepare(`insert into transfers (${names}) values (${row.map(() => '?').join()})`).run(
    ...row.map(([, value]) => value),
  );
  db.close();
  return { transferId, keys: [from.api_key, to.api_key] };
}
