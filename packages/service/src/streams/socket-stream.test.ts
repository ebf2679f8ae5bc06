import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { until } from '@hortus/testkit/until';
import { afterEach, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { guardWith } from '../process/guard.ts';
import { SocketStream } from './socket-stream.ts';

const cleanup: (() => void)[] = [];
afterEach(() => {
  for (const step of cleanup.splice(0).reverse()) step();
});

/** A stream of the service, and its peer. */
async function connected(): Promise<{ stream: SocketStream; socket: WebSocket; peer: WebSocket }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  cleanup.push(() => server.close());
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const peer = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  cleanup.push(() => peer.terminate());
  const [socket] = (await accepted) as [WebSocket];
  if (peer.readyState !== WebSocket.OPEN) await once(peer, 'open');
  return { stream: new SocketStream(socket, guardWith({ error: () => {} })), socket, peer };
}

it('small messages to a peer that does not read wait for it, before they fill the memory', async () => {
  const { stream, socket, peer } = await connected();
  peer.pause();
  let sent = 0;
  let isWaiting = false;
  const sending = (async () => {
    for (; sent < 3_000_000 && !stream.signal.aborted; sent++) {
      stream.send('x'.repeat(100));
      isWaiting = true;
      await stream.drained();
      isWaiting = false;
    }
  })();
  await until(() => isWaiting && socket.bufferedAmount > 0, { describe: 'the wait', within: 60_000 });
  const before = sent;
  await new Promise((next) => setImmediate(next));
  expect(sent).toBe(before);
  // 256 messages, with their headers.
  expect(socket.bufferedAmount).toBeLessThan(64 * 1024);
  peer.terminate();
  await sending;
});

it('a peer that reads again is sent the rest', async () => {
  const { stream, peer } = await connected();
  let received = 0;
  peer.on('message', () => received++);
  peer.pause();
  const total = 50_000;
  const sending = (async () => {
    for (let i = 0; i < total; i++) {
      stream.send('x'.repeat(1_000));
      await stream.drained();
    }
  })();
  peer.resume();
  await sending;
  await until(() => received === total, { describe: 'all messages' });
});
