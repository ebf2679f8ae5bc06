import { expect, it } from 'vitest';
import { openLocalBus } from '../bus/local-bus.ts';
import { KEYS_TOPIC } from '../identity/authenticator.ts';
import { guardWith } from '../process/guard.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import type { DaemonStream } from './daemon-stream.ts';
import { DaemonStreams, IDENTITY_RESET_TOPIC, STREAM_TOPIC } from './daemon-streams.ts';
import type { Ticket } from './ticket.ts';

/** The connection of a daemon; records how it ends. */
function connection(keyHash = 'key') {
  const over = new AbortController();
  const ends: string[] = [];
  const end = (how: string) => {
    ends.push(how);
    over.abort();
  };
  const stream = { keyHash, signal: over.signal, close: () => end('closed'), revoke: end } as unknown as DaemonStream;
  return { stream, ends };
}

/** Streams of a replica whose daemons connect when the test lets them. */
function openStreams() {
  const log = new QuietLog();
  const bus = openLocalBus({ log });
  const asked: Ticket[] = [];
  bus.subscribe(STREAM_TOPIC, (message) => {
    const [serverId, streamId] = JSON.parse(message) as [string, string];
    asked.push({ serverId, streamId, accountId: 'acc_1', replicaUrl: '', expiresAt: 0 });
  });
  const streams = new DaemonStreams({
    bus,
    guard: guardWith(log),
    hmac: async () => 'code',
    protect: (order) => order as never,
    sign: (order) => ({ ...order, signature: 'signed' }),
    connection: () => undefined,
    ownUrl: () => 'http://replica.test',
  });
  const want = async (serverId: string) => {
    const known = asked.length;
    const opening = streams.open({ serverId, accountId: 'acc_1', kind: 'logs', instance: 'shop' });
    // Refused at once, or asked for after the ticket is made.
    await Promise.race([opening, new Promise((done) => setImmediate(done))]);
    return { opening, ticket: asked[known] as Ticket };
  };
  const open = async (serverId: string, keyHash?: string) => {
    const { opening, ticket } = await want(serverId);
    const { stream, ends } = connection(keyHash);
    streams.arrive(ticket, stream);
    await opening;
    return { ends, stream };
  };
  return { bus, streams, want, open };
}

it('a ticket is good for one connection, also if two arrive at once', async () => {
  const { streams, want } = openStreams();
  const { opening, ticket } = await want('srv_1');
  const [first, second] = [connection(), connection()];
  streams.arrive(ticket, first.stream);
  streams.arrive(ticket, second.stream);
  expect(await opening).toBe(first.stream);
  expect([first.ends, second.ends]).toEqual([[], ['closed']]);
});

it('a server has a limited number of streams, and the end of one makes room', async () => {
  const { streams, open } = openStreams();
  const opened = [];
  for (let n = 0; n < 64; n++) opened.push(await open('srv_1'));
  await expect(open('srv_1')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await open('srv_2');
  opened[0]?.stream.close();
  await open('srv_1');
  expect(streams.size).toBe(65);
});

it('the notice of a revoked key ends the streams of that key only', async () => {
  const { bus, open } = openStreams();
  const [stolen, own] = [await open('srv_1', 'stolen'), await open('srv_1', 'own')];
  bus.publish(KEYS_TOPIC, 'stolen');
  expect([stolen.ends, own.ends]).toEqual([['this key is no longer valid'], []]);
});

it('the notice of an identity reset ends the streams of that server only', async () => {
  const { bus, open } = openStreams();
  const [reset, other] = [await open('srv_1'), await open('srv_2')];
  bus.publish(IDENTITY_RESET_TOPIC, 'srv_1');
  expect([reset.ends, other.ends]).toEqual([['the identity of this server was reset'], []]);
});
