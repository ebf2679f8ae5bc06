import { openLog } from '@hortus/logging/log';
import { until } from '@hortus/testkit/until';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Backoff } from '../concurrency/backoff.ts';
import { FakeService } from '../testing/fake-service.ts';
import { Channel, type ChannelTimes, standardTimes } from './channel.ts';
import type { FromService } from './messages.ts';

let service: FakeService;
let channel: Channel;
let received: FromService[];
let ups: number;
let deposed: number;
let logged: { message: string; at: number; details?: Record<string, unknown> | undefined }[];

beforeEach(async () => {
  service = await FakeService.listen();
  received = [];
  ups = 0;
  deposed = 0;
  logged = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  channel.stop();
  await service.close();
});

function open(times: Partial<ChannelTimes> = {}, capabilities: string[] = [], isUrgent = false) {
  const write = (line: string) => {
    const { msg, ...details } = JSON.parse(line);
    logged.push({ message: msg, at: performance.now(), details });
  };
  channel = new Channel({
    baseUrl: service.url,
    key: () => 'hs_test_key',
    capabilities,
    isUrgent,
    onDeposed: () => void deposed++,
    about: async () => ({ version: '9.9.9' }),
    onMessage: (message) => received.push(message),
    onUp: () => {
      ups++;
    },
    log: openLog({ level: 'debug', stream: { write } }),
    times: { firstMs: 10, maxMs: 40, silenceMs: 5_000, turnedAwayMs: 300, ...times },
  });
  channel.start();
}
const isUp = () => until(() => channel.up, { describe: 'a connection' });

it('the daemon sends its key and capabilities, and learns those of the service', async () => {
  service.greeting = { server_id: 'srv_1', capabilities: ['ack'] };
  open();
  await isUp();
  expect(service.auths).toEqual([
    {
      type: 'auth',
      api_key: 'hs_test_key',
      capabilities: expect.arrayContaining(['journal', 'wake', 'ack', 'builtin', 'rotate', 'nonce']),
      connection_nonce: expect.stringMatching(/^[A-Za-z0-9_-]{32}$/),
      version: '9.9.9',
    },
  ]);
  expect(channel.offers('ack')).toBe(true);
  expect(channel.offers('rotate')).toBe(false);
});

it.each([
  ['a daemon of a large fleet reconnects at a random time within the announced spread', false, 300],
  ['a member of a cluster reconnects at once, because it may have to lead', true, 8],
])('%s', async (_, isUrgent, pause) => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  open({ maxMs: 10_000 }, [], isUrgent);
  await isUp();
  service.send({ type: 'ping', ts: 42, spread_ms: 600 });
  await until(() => service.said('pong').some(({ ts }) => ts === 42), { describe: 'the pong' });
  service.hangUp();
  const pauses = () => logged.flatMap(({ details }) => (details?.retry_ms === undefined ? [] : [details.retry_ms]));
  await until(() => pauses().length > 0, { describe: 'the loss of the connection' });
  expect(pauses()).toEqual([pause]);
});

it('only a member of a cluster announces that capability', async () => {
  service.greeting = {};
  open();
  await isUp();
  channel.stop();
  open({}, ['cluster']);
  await until(() => service.auths.length === 2, { describe: 'the second introduction' });
  const announced = service.auths.map(({ capabilities }) => (capabilities as string[]).includes('cluster'));
  expect(announced).toEqual([false, true]);
});

it('the channel works with a service that knows only the published messages', async () => {
  open();
  await isUp();
  service.send({ type: 'ping', ts: 42 });
  await until(() => service.said('pong').some(({ ts }) => ts === 42), { describe: 'the pong' });
  expect(channel.offers('ack')).toBe(false);
});

it('the channel passes valid messages on, ignores the rest, and stays connected', async () => {
  service.greeting = {};
  open();
  await isUp();
  service.socket?.send('nonsense');
  service.send({ type: 'action_request' });
  service.send({ type: 'action_request', execution_id: '../x', container_name: 'a', action: {}, params: {} });
  service.send({ type: 'from_the_future', x: 1 });
  // More values than a message may have, which are counted before it is parsed.
  service.send({ type: 'deployment_available', deployment_id: 'too_many', more: Array(20_001).fill([0]) });
  service.send({ type: 'deployment_available', deployment_id: 'dep_1', more: true });
  await until(() => received.some(({ type }) => type === 'deployment_available'), { describe: 'the message' });
  expect(received.map(({ type }) => type)).toEqual(['authenticated', 'deployment_available']);
});

describe('a lost connection', () => {
  it('is re-established', async () => {
    service.greeting = {};
    open();
    await isUp();
    service.hangUp();
    await until(() => ups === 2, { describe: 'a second connection' });
  });

  it('is detected by silence', async () => {
    service.greeting = {};
    open({ silenceMs: 100 });
    await until(() => ups >= 2, { describe: 'a second connection' });
  });

  it('is detected by silence according to the announced ping interval', async () => {
    service.greeting = { ping_seconds: 1 };
    open({ silenceMs: 600_000 });
    await until(() => ups >= 2, { describe: 'a second connection' });
  });

  it('to an unreachable service is retried until it is back', async () => {
    service.down = true;
    open();
    await until(() => logged.length > 2, { describe: 'attempts' });
    service.down = false;
    await isUp();
  });

  it.each([
    [4401, 'rejected the server key'],
    [4403, 'refused this daemon'],
    [4409, 'took over'],
  ])('by close code %i is not retried at once, and the reason is logged', async (code, words) => {
    service.turnAwayWith = code;
    open({ turnedAwayMs: 400 });
    const reported = await until(() => logged.find(({ message }) => message.includes(words)), { describe: 'the log' });
    await until(() => service.auths.length >= 2, { describe: 'the next attempt' });
    expect(performance.now() - reported.at).toBeGreaterThan(300);
  });
});

it('every connection has another nonce, and takes only its own orders, each once', async () => {
  service.greeting = {};
  open();
  await isUp();
  const first = service.bound({ type: 'rotate_key' });
  expect(channel.orders.take(first)).toBeUndefined();
  expect(channel.orders.take(first)).toContain('received before');
  const second = service.bound({ type: 'rotate_key' });
  const third = service.bound({ type: 'rotate_key' });
  expect(channel.orders.take(third)).toBeUndefined();
  expect(channel.orders.take(second)).toContain('received before');
  expect(channel.orders.take({})).toContain('names no connection');
  const late = service.bound({ type: 'rotate_key' });
  service.hangUp();
  await until(() => ups === 2, { describe: 'a second connection' });
  expect(service.auths[1]?.connection_nonce).not.toBe(service.auths[0]?.connection_nonce);
  expect(channel.orders.take(late)).toContain('another connection');
});

it('a member that the service deposes learns it with the end of its connection, and reconnects', async () => {
  service.greeting = {};
  open();
  await isUp();
  service.socket?.close(4410, 'another member leads this cluster');
  await until(() => ups === 2, { describe: 'a second connection' });
  expect(deposed).toBe(1);
});

it('the pause after a rejection is a minute and grows with each failure', () => {
  expect(standardTimes).toMatchObject({ firstMs: 1_000, maxMs: 60_000, silenceMs: 60_000, turnedAwayMs: 60_000 });
  const longest = new Backoff(standardTimes, () => 1);
  expect([1, 2, 3, 4, 5, 6, 7, 8].map(() => longest.next())).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
  ]);
  expect(new Backoff(standardTimes, () => 0).next()).toBe(500);
});
