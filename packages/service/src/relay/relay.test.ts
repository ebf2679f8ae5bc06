import { randomBytes } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { TRANSFER_PROTOCOL } from '@hortus/contract/protocol/transfer';
import { until } from '@hortus/testkit/until';
import { afterEach, expect, test } from 'vitest';
import { guardWith } from '../process/guard.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import { End } from './end.ts';
import { Relay, type RelayTimes, type Role } from './relay.ts';

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const item of opened.splice(0)) item.close();
});

/** A relay behind a real server, and ends that come to it. */
async function openRelay(times: Partial<RelayTimes> = {}) {
  const guard = guardWith(new QuietLog());
  const relay = new Relay(guard, times);
  const server: Server = createServer();
  server.on('upgrade', (request, socket, head) => {
    const [, transfer = '', role] = (request.url ?? '').split('/');
    relay.join(transfer, role as Role, End.accept(socket, head, guard));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const end = async (transfer: string, role: Role) => {
    const headers = { connection: 'Upgrade', upgrade: TRANSFER_PROTOCOL };
    const asking = request({ host: '127.0.0.1', port, path: `/${transfer}/${role}`, headers });
    const [socket, first] = await new Promise<[Socket, Buffer]>((done, fail) => {
      asking.on('upgrade', (_response, socket: Socket, head: Buffer) => done([socket, head]));
      asking.on('error', fail);
      asking.end();
    });
    const received: Buffer[] = [first];
    const closed = new Promise<void>((done) => socket.on('close', () => done()));
    socket.on('error', () => undefined);
    socket.on('data', (data: Buffer) => received.push(data));
    opened.push({ close: () => socket.destroy() });
    const bytes = () => received.reduce((sum, { length }) => sum + length, 0);
    return { socket, closed, bytes, text: () => Buffer.concat(received).toString() };
  };
  opened.push({
    close: () => {
      relay.close();
      server.closeAllConnections();
      server.close();
    },
  });
  return { relay, end };
}

test('bytes reach the other end, also those sent before it connected', async () => {
  const { end } = await openRelay();
  const receiver = await end('a', 'receive');
  receiver.socket.write('first');
  const sender = await end('a', 'send');
  sender.socket.write('second');
  await until(() => sender.text() === 'first' && receiver.text() === 'second', { describe: 'both to hear' });
});

test('bytes of one transfer never reach another', async () => {
  const { end } = await openRelay();
  const [a, b] = [await end('a', 'send'), await end('b', 'send')];
  const [ra, rb] = [await end('a', 'receive'), await end('b', 'receive')];
  a.socket.write('of a');
  b.socket.write('of b');
  await until(() => ra.text() === 'of a' && rb.text() === 'of b', { describe: 'each its own' });
});

test('a receiver that stops reading pauses the sender instead of filling the memory', async () => {
  const { relay, end } = await openRelay();
  const [sender, receiver] = [await end('a', 'send'), await end('a', 'receive')];
  receiver.socket.pause();
  const piece = randomBytes(512 * 1024);
  for (let i = 0; i < 128; i++) sender.socket.write(piece);
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
  await until(() => receiver.bytes() === 128 * piece.length, { describe: 'all of it to be received' });
});

test('an end that disconnects closes the other; both may reconnect', async () => {
  const { end } = await openRelay();
  const [sender, receiver] = [await end('a', 'send'), await end('a', 'receive')];
  sender.socket.destroy();
  await receiver.closed;
  const [again, other] = [await end('a', 'receive'), await end('a', 'send')];
  other.socket.write('again');
  await until(() => again.text() === 'again', { describe: 'the second meeting' });
});

test('an end without a counterpart is closed, and so is one that is replaced', async () => {
  const { end } = await openRelay({ waitMs: 50 });
  await (await end('a', 'send')).closed;
  const slow = await openRelay();
  const first = await slow.end('b', 'send');
  const other = await slow.end('b', 'receive');
  const second = await slow.end('b', 'send');
  // The other one would continue a conversation that the new one has missed.
  await Promise.all([first.closed, other.closed]);
  const again = await slow.end('b', 'receive');
  second.socket.write('again');
  await until(() => again.text() === 'again', { describe: 'both to start again' });
});

test('a transfer in which both ends stall is closed after its limit', async () => {
  const { end } = await openRelay({ silenceMs: 80 });
  const [sender, receiver] = [await end('a', 'send'), await end('a', 'receive')];
  await Promise.all([sender.closed, receiver.closed]);
});

test('what an end sent before it disconnected still arrives', async () => {
  const { end } = await openRelay();
  const [sender, receiver] = [await end('a', 'send'), await end('a', 'receive')];
  const last = randomBytes(3 * 1024 * 1024);
  receiver.socket.pause();
  sender.socket.end(last);
  receiver.socket.resume();
  await receiver.closed;
  expect(receiver.bytes()).toBe(last.length);
});

test('single bytes for an end that does not read do not fill the memory, and arrive when it reads', async () => {
  const guard = guardWith(new QuietLog());
  const written: (() => void)[] = [];
  let bytes = 0;
  const from = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() });
  const to = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      written.push(done);
    },
  });
  const [sender, receiver] = [from, to].map((socket) => End.accept(socket, Buffer.alloc(0), guard));
  sender?.handTo(receiver as End, () => undefined);
  let sent = 0;
  for (; sent < 10_000 && !from.isPaused(); sent++) {
    from.push(Buffer.from('x'));
    await until(() => from.readableLength === 0 || from.isPaused(), { describe: 'it to be forwarded' });
  }
  expect(sent).toBeLessThan(100);
  bytes = 0;
  await until(
    () => {
      for (const done of written.splice(0)) done();
      return !from.isPaused();
    },
    { describe: 'the sender to be resumed' },
  );
  expect(bytes).toBe(sent);
});
