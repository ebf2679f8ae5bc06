import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { until } from '@hortus/testkit/until';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { guardWith } from '../guard.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import { End } from './end.ts';
import { Relay, type RelayTimes, type Role } from './relay.ts';

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

/** How much waits in a stream, and in how many pieces. */
type Queued = { readonly _writableState: { getBuffer(): unknown[] } };

/** A relay behind a real server, and ends that come to it. */
async function openRelay(times: Partial<RelayTimes> = {}) {
  const guard = guardWith(new QuietLog());
  const relay = new Relay(guard, times);
  const server: Server = createServer();
  const serverSockets: Socket[] = [];
  server.on('upgrade', (request, socket, head) => {
    serverSockets.push(socket as Socket);
    const [, transfer = '', role] = (request.url ?? '').split('/');
    relay.join(transfer, role as Role, End.accept(request, socket, head, guard));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const end = async (transfer: string, role: Role) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/${transfer}/${role}`);
    const closed = new Promise<number>((done) => socket.on('close', done));
    const heard: Buffer[] = [];
    socket.on('message', (data: Buffer) => heard.push(data));
    await new Promise((done) => socket.once('open', done));
    opened.push({ close: () => socket.terminate() });
    return { socket, closed, heard, text: () => Buffer.concat(heard).toString() };
  };
  opened.push({
    close: () => {
      relay.close();
      server.closeAllConnections();
      server.close();
    },
  });
  return { relay, end, serverSockets };
}

test('each end receives what the other sends, including what was sent before it connected', async () => {
  const { end } = await openRelay();
  const receiver = await end('a', 'receive');
  receiver.socket.send('first');
  const sender = await end('a', 'send');
  sender.socket.send('second');
  await until(() => sender.text() === 'first' && receiver.text() === 'second', { describe: 'both to hear' });
});

test('transfers are separate', async () => {
  const { end } = await openRelay();
  const [a, b] = [await end('a', 'send'), await end('b', 'send')];
  const [ra, rb] = [await end('a', 'receive'), await end('b', 'receive')];
  a.socket.send('of a');
  b.socket.send('of b');
  await until(() => ra.text() === 'of a' && rb.text() === 'of b', { describe: 'each its own' });
});

test('a slow end applies backpressure to the fast one instead of filling the memory', async () => {
  const { relay, end } = await openRelay();
  const [sender, receiver] = [await end('a', 'send'), await end('a', 'receive')];
  receiver.socket.pause();
  const piece = randomBytes(512 * 1024);
  for (let i = 0; i < 128; i++) sender.socket.send(piece);
  let before = -1;
  const still = () => {
    const same = before === relay.carried;
    before = relay.carried;
    return same && relay.carried > 0;
  };
  await until(still, { every: 300, describe: 'the relay to wait' });
  // What the kernel's buffers took is not the relay's.
  expect(relay.carried).toBeLessThan(24 * 1024 * 1024);
  receiver.socket.resume();
  await until(() => relay.carried === 128 * piece.length, { describe: 'all of it to arrive' });
  await until(() => receiver.heard.length === 128, { describe: 'all of it to be heard' });
});

test('a disconnect of one end disconnects the other, and both may reconnect', async () => {
  const { end } = await openRelay();
  const [sender, receiver] = [await end('a', 'send'), await end('a', 'receive')];
  sender.socket.terminate();
  expect(await receiver.closed).toBe(4410);
  const [again, other] = [await end('a', 'receive'), await end('a', 'send')];
  other.socket.send('again');
  await until(() => again.text() === 'again', { describe: 'the second meeting' });
});

test('an end without a counterpart is closed, and so is one that is replaced', async () => {
  const { end } = await openRelay({ waitMs: 50 });
  expect(await (await end('a', 'send')).closed).toBe(4408);
  const patient = await openRelay();
  const first = await patient.end('b', 'send');
  const other = await patient.end('b', 'receive');
  const second = await patient.end('b', 'send');
  expect(await first.closed).toBe(4409);
  // It would continue a conversation that the new one has missed.
  expect(await other.closed).toBe(4410);
  const again = await patient.end('b', 'receive');
  second.socket.send('again');
  await until(() => again.text() === 'again', { describe: 'both to start again' });
});

test('idle ends are disconnected', async () => {
  const { end } = await openRelay({ silenceMs: 80 });
  const [sender, receiver] = [await end('a', 'send'), await end('a', 'receive')];
  expect(await Promise.all([sender.closed, receiver.closed])).toContain(4411);
});

test('pings are answered, and a flood of pings without reading closes the connection', async () => {
  const { end, serverSockets } = await openRelay();
  const [flooding, other] = [await end('a', 'send'), await end('a', 'receive')];
  const answered = new Promise<string>((done) => other.socket.on('pong', (data) => done(String(data))));
  other.socket.ping('there?');
  expect(await answered).toBe('there?');

  flooding.socket.pause();
  const pings = Buffer.concat(Array.from({ length: 10_000 }, () => Buffer.from([0x89, 0x80, 0, 0, 0, 0])));
  const raw = (flooding.socket as unknown as { _socket: Socket })._socket;
  for (let i = 0; i < 20 && !raw.destroyed; i++) await new Promise<unknown>((sent) => raw.write(pings, sent));
  expect(Math.max(...serverSockets.map(({ writableLength }) => writableLength))).toBeLessThan(64 * 1024);
  flooding.socket.resume();
  expect(await flooding.closed).toBe(1008);
  expect(await other.closed).toBe(4410);
});

test('tiny frames for an end that does not read use bounded memory', async () => {
  const guard = guardWith(new QuietLog());
  const handshake = { headers: {} } as IncomingMessage;
  /** A socket that takes nothing off our hands. */
  const stuck = () => new Duplex({ read: () => undefined, write: () => undefined });
  const [from, to] = [stuck(), stuck()];
  const [sender, receiver] = [from, to].map((socket) => End.accept(handshake, socket, Buffer.alloc(0), guard));
  sender?.handTo(receiver as End, () => undefined);
  const frames = Buffer.concat(Array.from({ length: 10_000 }, () => Buffer.from([0x82, 0x81, 0, 0, 0, 0, 0])));
  let sent = 0;
  for (; sent < 100 && !from.isPaused(); sent++) {
    from.push(Buffer.from(frames));
    await until(() => from.readableLength === 0 || from.isPaused(), { describe: 'it to be handed on' });
  }
  expect(from.isPaused()).toBe(true);
  expect((to as unknown as Queued)._writableState.getBuffer().length).toBeLessThan(2 * sent);
});
