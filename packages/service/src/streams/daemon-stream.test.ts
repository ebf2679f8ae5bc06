import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { until } from '@hortus/testkit/until';
import { afterEach, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { guardWith } from '../process/guard.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import { DaemonStream } from './daemon-stream.ts';

const log = new QuietLog();
const sockets: (WebSocket | WebSocketServer)[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) {
    if (socket instanceof WebSocket) socket.terminate();
    else socket.close();
  }
});

/** A stream and the socket of its daemon. */
async function connected(isKeyValid = async () => true) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false });
  await once(server, 'listening');
  const daemon = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  sockets.push(server, daemon);
  const [[accepted]] = await Promise.all([once(server, 'connection'), once(daemon, 'open')]);
  const received: string[] = [];
  const stream = new DaemonStream(accepted as WebSocket, {
    guard: guardWith(log),
    keyHash: 'hash',
    isKeyValid,
    pingEveryMs: 20,
  });
  stream.listen((data) => void received.push(String(data)));
  return { daemon, stream, received };
}

it('a connection whose daemon no longer answers ends, although TCP does not notice', async () => {
  const { daemon, stream } = await connected();
  daemon.pause();
  await until(() => stream.signal.aborted, { describe: 'the end of the stream' });
});

it('a silent daemon that answers pings keeps its stream', async () => {
  const { daemon, stream } = await connected();
  let pings = 0;
  daemon.on('ping', () => pings++);
  await until(() => pings >= 5, { describe: 'five pings' });
  expect(stream.signal.aborted).toBe(false);
});

it('a daemon whose response waits unread behind a busy event loop keeps its stream', async () => {
  const { daemon, stream } = await connected();
  let pings = 0;
  daemon.on('ping', () => pings++);
  const block = () => {
    for (const end = performance.now() + 60; performance.now() < end; );
  };
  // Each pause is longer than the interval of the pings, so that a timer fires before the answer is read.
  daemon.on('ping', block);
  await until(() => pings >= 5 || stream.signal.aborted, { describe: 'five pings' });
  expect(stream.signal.aborted).toBe(false);
});

it('a stream ends with its key, even if the notice of the revocation was lost', async () => {
  let isValid = true;
  const { daemon, stream, received } = await connected(async () => isValid);
  daemon.send('before');
  await until(() => received.length === 1, { describe: 'a message' });
  isValid = false;
  const [code] = await once(daemon, 'close');
  expect([code, stream.signal.aborted]).toEqual([1008, true]);
});

it('what a revoked daemon still sends is ignored', async () => {
  const { daemon, stream, received } = await connected();
  stream.revoke('no longer trusted');
  daemon.send('after');
  await once(daemon, 'close');
  expect([stream.signal.aborted, received]).toEqual([true, []]);
});
