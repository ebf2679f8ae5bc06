import { request } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import { bearer, limits, serve } from '../http/testing/serve.ts';
import { notFound } from '../problem.ts';
import { onThisThread } from '../workers/testing/on-this-thread.ts';
import { GatewayHarness, openGateway } from './testing/gate.ts';

/** What a request that asks for an upgrade is answered, if it is answered and not upgraded. */
const upgrade = (harness: GatewayHarness, path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number | undefined; type: string | undefined; body: string }>((done, fail) => {
    const asked = request(harness.served.url + path, {
      headers: {
        connection: 'upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': Buffer.alloc(16).toString('base64'),
        ...headers,
      },
    });
    asked.on('response', async (response) => {
      const body = await text(response);
      done({ status: response.statusCode, type: response.headers['content-type'], body });
    });
    asked.on('upgrade', () => fail(new Error('It was upgraded.')));
    asked.on('error', fail);
    asked.end();
  });

/** Counts calls, and the most between two checks, one in each iteration of the event loop: two calls can be of two iterations. */
function countPerIteration() {
  let now = 0;
  let max = 0;
  const counted = {
    total: 0,
    add: () => {
      max = Math.max(max, ++now);
      return ++counted.total;
    },
    stop: () => {
      clearImmediate(next);
      return max;
    },
  };
  const iterate = () => {
    now = 0;
    next = setImmediate(iterate);
  };
  let next = setImmediate(iterate);
  return counted;
}

describe('the upgrade of a connection', () => {
  it.each(['/api/v1/ws/server', '/ws/server', '/ws/server?from=here'])('is accepted at %s', async (path) => {
    await using harness = await openGateway();
    harness.socket({ auth: { api_key: 'srv_1' } }, path);
    await until(() => harness.gateway.connection('srv_1'), { describe: 'the daemon to be let in' });
  });

  it.each(['/ws', '/api/v1/ws/server/x', '/ws/servers'])('answers 404 at %s', async (path) => {
    await using harness = await openGateway();
    const { status, type, body } = await upgrade(harness, path);
    expect([status, type]).toEqual([404, 'application/json; charset=utf-8']);
    expect(JSON.parse(body)).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
  });

  it('ignores an offer of HTTP/2, and the request is served', async () => {
    await using harness = await openGateway();
    const { status, body } = await upgrade(harness, '/api/v1/health', { upgrade: 'h2c', 'http2-settings': 'AAMAAABk' });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ success: true });
  });

  it('answers an invalid handshake with 422 in the error envelope', async () => {
    await using harness = await openGateway();
    const { status, body } = await upgrade(harness, '/ws/server', { 'sec-websocket-key': 'short' });
    expect(status).toBe(422);
    expect(JSON.parse(body)).toMatchObject({ success: false, error: { code: 'VALIDATION_ERROR' } });
  });

  it('limits unauthenticated connections', async () => {
    await using harness = await openGateway({ unauthenticated: { total: 3, perAddress: 2 } });
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const first = harness.socket(from('2001:db8::1'));
    await Promise.all([first.opened(), harness.socket(from('2001:db8::2')).opened()]);
    const refused = await upgrade(harness, '/ws/server', { 'x-forwarded-for': '2001:db8::3' });
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.body)).toMatchObject({ error: { code: 'RATE_LIMITED' } });
    await harness.socket(from('192.0.2.2')).opened();
    expect((await upgrade(harness, '/ws/server', { 'x-forwarded-for': '192.0.2.3' })).status).toBe(429);
    // Authenticated and closed connections make room.
    first.send({ type: 'auth', api_key: 'srv_1' });
    await until(() => harness.gateway.connection('srv_1'), { describe: 'the daemon to be let in' });
    const next = harness.socket(from('192.0.2.3'));
    await next.opened();
    expect((await upgrade(harness, '/ws/server', { 'x-forwarded-for': '192.0.2.4' })).status).toBe(429);
    next.socket.terminate();
    await until(
      async () => {
        const late = harness.socket(from('192.0.2.4'));
        return await Promise.race([late.opened().then(() => true), late.closed.then(() => false)]);
      },
      { describe: 'room for another' },
    );
  });
});

describe('the first message', () => {
  it.each([
    ['an unknown key', { type: 'auth', api_key: 'hs_live_x' }],
    ['the key of a user', { type: 'auth', api_key: 'reader' }],
    ['an auth without a key', { type: 'auth' }],
    ['another message type', { type: 'action_started', execution_id: 'exe_1' }],
    ['an unknown message type', { type: 'hello' }],
    ['a message that is not an object', '[]'],
    ['a message that is not JSON', 'auth'],
    ['bytes', Buffer.from(JSON.stringify({ type: 'auth', api_key: 'srv_1' }))],
  ])('%s is refused with 4401', async (_, message) => {
    await using harness = await openGateway();
    const unauthenticated = harness.socket();
    await unauthenticated.opened();
    unauthenticated.send(message);
    unauthenticated.send({ type: 'auth', api_key: 'srv_2' });
    expect(await unauthenticated.closed).toBe(4401);
    expect(unauthenticated.messages).toEqual([]);
    expect(harness.gateway.size).toBe(0);
  });

  it('with a wrong key counts against the limit of its network, which does not block valid daemons', async () => {
    const config = { rateLimits: { ...limits, anonymous: 2 }, trustedProxies: ['127.0.0.0/8'] };
    await using harness = new GatewayHarness(await serve({ config }));
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const refusal = async (address: string) => {
      const unauthenticated = harness.socket({ auth: { api_key: 'wrong' }, ...from(address) });
      expect(await unauthenticated.closed).toBe(4401);
      return unauthenticated.reason;
    };
    const status = async (address: string) => {
      const headers = { ...bearer('wrong'), ...from(address).headers };
      return (await harness.served.fetch('/api/v1/templates', { headers })).status;
    };
    expect(await refusal('2001:db8::1')).not.toContain('More than');
    expect(await refusal('2001:db8::2')).not.toContain('More than');
    expect(await refusal('2001:db8::3')).toContain('More than 2 requests in this minute');
    expect(await status('2001:db8::4')).toBe(429);
    expect(await status('2001:db8:0:1::1')).toBe(401);
    await harness.daemon('srv_1', {}, from('2001:db8::1'));
  });

  it('must arrive in time', async () => {
    await using harness = await openGateway({ times: { authWithinMs: 50 } });
    const unauthenticated = harness.socket();
    await unauthenticated.opened();
    expect(await unauthenticated.closed).toBe(4401);
    expect(harness.gone).toEqual([]);
  });

  it('must be short', async () => {
    await using harness = await openGateway();
    const unauthenticated = harness.socket();
    await unauthenticated.opened();
    unauthenticated.send({ type: 'auth', api_key: 'srv_1', padding: 'x'.repeat(1024 * 1024) });
    expect(await unauthenticated.closed).toBe(1006);
    expect(harness.gateway.size).toBe(0);
  });

  it('may be followed by more than it may contain itself', async () => {
    await using harness = await openGateway();
    const socket = harness.socket({ auth: { api_key: 'srv_1' } });
    await socket.opened();
    const output = 'x'.repeat(20_000);
    socket.send({ type: 'action_completed', execution_id: 'exe_1', output });
    await until(() => harness.reports.length === 1, { describe: 'the report' });
  });

  it('is answered with a temporary close code while the database is unavailable', async () => {
    await using harness = await openGateway({ handlers: { connected: () => Promise.reject(new Error('away')) } });
    const daemon = harness.socket({ auth: { api_key: 'srv_1' } });
    expect(await daemon.closed).toBe(1011);
  });
});

describe('messages', () => {
  it('are handled one at a time in order, including those sent together with the auth', async () => {
    const handled: string[] = [];
    let busy = 0;
    await using harness = await openGateway({
      handlers: {
        message: async (_, message) => {
          expect(++busy).toBe(1);
          await new Promise((next) => setTimeout(next, Math.random() * 3));
          busy--;
          handled.push((message as { execution_id: string }).execution_id);
        },
      },
    });
    const daemon = harness.socket({ auth: { api_key: 'srv_1' } });
    await daemon.opened();
    const ids = Array.from({ length: 50 }, (_, i) => `exe_${i}`);
    for (const execution_id of ids) daemon.send({ type: 'action_started', execution_id });
    await until(() => handled.length === ids.length, { describe: 'all messages' });
    expect(handled).toEqual(ids);
  });

  it('of one segment are read one in an iteration of the event loop, in order', async () => {
    const counted = countPerIteration();
    await using harness = await openGateway({ clock: () => counted.add() });
    const { daemon } = await harness.daemon();
    const ids = Array.from({ length: 2_000 }, (_, i) => `exe_${i}`);
    for (const execution_id of ids) daemon.send({ type: 'action_started', execution_id });
    await until(() => harness.reports.length === ids.length, { describe: 'all messages' });
    expect(harness.reports.map((report) => (report as { execution_id: string }).execution_id)).toEqual(ids);
    expect(counted.stop()).toBeLessThanOrEqual(2);
  });

  it('that cost time share the event loop, however many connections send them at once', async () => {
    const counted = countPerIteration();
    await using harness = await openGateway({
      handlers: {
        message: async () => {
          counted.add();
          const end = performance.now() + 5;
          while (performance.now() < end);
        },
      },
    });
    const daemons = [];
    for (let i = 0; i < 10; i++) daemons.push((await harness.daemon(`srv_${i}`)).daemon);
    for (const daemon of daemons)
      for (let i = 0; i < 5; i++) daemon.send({ type: 'action_started', execution_id: `exe_${i}` });
    await until(() => counted.total === 50, { describe: 'all messages' });
    expect(counted.stop()).toBeLessThanOrEqual(2);
  });

  it('after too many malformed ones are neither read nor logged', async () => {
    const lines: unknown[] = [];
    const log = { info: (line: unknown) => lines.push(line), warn: () => {}, error: () => {} };
    await using harness = await openGateway({ log });
    const { daemon } = await harness.daemon();
    for (let i = 0; i < 1_000; i++) daemon.send('{');
    expect(await daemon.closed).toBe(1008);
    await until(() => harness.gone.length === 1, { describe: 'its end to be noticed' });
    expect(lines).toHaveLength(20);
  });

  it('of a newer version are accepted: unknown types and fields are ignored', async () => {
    await using harness = await openGateway();
    const { daemon } = await harness.daemon();
    for (let i = 0; i < 50; i++) daemon.send({ type: 'from_the_future', i });
    daemon.send({ type: 'action_completed', execution_id: 'exe_1', exit_code: 0, mood: 'fine' });
    await until(() => harness.reports.length === 1, { describe: 'the report' });
    expect(daemon.isOpen).toBe(true);
  });

  it('with a null character keep their output, with the character replaced', async () => {
    await using harness = await openGateway();
    const { daemon } = await harness.daemon();
    daemon.send({ type: 'action_completed', execution_id: 'exe_1', output: 'a\0b' });
    await until(() => harness.reports.length === 1, { describe: 'the report' });
    expect(harness.reports).toMatchObject([{ output: 'a\uFFFDb' }]);
  });

  it('that are malformed close the connection after twenty', async () => {
    await using harness = await openGateway();
    const { daemon } = await harness.daemon();
    for (let i = 0; i < 19; i++) daemon.send({ type: 'action_started' });
    daemon.send({ type: 'action_started', execution_id: 'exe_1' });
    await until(() => harness.reports.length === 1, { describe: 'the report' });
    expect(daemon.isOpen).toBe(true);
    daemon.send('{');
    expect(await daemon.closed).toBe(1008);
  });

  it('with more values than any daemon sends are ignored, and never parsed', async () => {
    await using harness = await openGateway();
    const { daemon } = await harness.daemon();
    for (const [list, execution_id] of [
      ['[],'.repeat(2_600_000), 'exe_large'],
      ['[],'.repeat(20_001), 'exe_small'],
    ]) {
      const result = `{"rows":[${list}[]]}`;
      daemon.send(`{"type":"action_completed","execution_id":"${execution_id}","result":${result}}`);
    }
    daemon.send({ type: 'action_completed', execution_id: 'exe_1', output: 'x'.repeat(1_000_000) });
    await until(() => harness.reports.length === 1, { describe: 'the report' });
    expect(harness.reports).toMatchObject([{ execution_id: 'exe_1' }]);
    expect(harness.gateway.connection('srv_1')?.malformed).toBe(2);
  });

  it('that are large are read from four daemons of an account at a time', async () => {
    const { promise: open, resolve: letGo } = Promise.withResolvers<void>();
    let running = 0;
    let maxRunning = 0;
    await using harness = await openGateway({
      times: { pingEveryMs: 20 },
      work: {
        async run(job, owner, ...args) {
          maxRunning = Math.max(maxRunning, ++running);
          await open;
          running--;
          return (await onThisThread.run(job, owner, ...args)) as never;
        },
      },
    });
    const daemons = [];
    for (let i = 0; i < 6; i++) daemons.push((await harness.daemon(`srv_${i}`)).daemon);
    const output = 'x'.repeat(2_000_000);
    for (const [i, daemon] of daemons.entries())
      daemon.send({ type: 'action_completed', execution_id: `exe_${i}`, output });
    await until(() => running === 4, { describe: 'four messages to be read' });
    for (const daemon of daemons) {
      const before = daemon.of('ping').length;
      await until(() => daemon.of('ping').length > before + 5, { describe: 'pings meanwhile' });
    }
    letGo();
    await until(() => harness.reports.length === 6, { describe: 'all reports' });
    expect(maxRunning).toBe(4);
  });

  it('close the connection on an internal error, so that they are resent, but not on a client error', async () => {
    await using harness = await openGateway({
      handlers: {
        message: async (_, message) => {
          throw message.type === 'action_started' ? notFound('execution') : new Error('away');
        },
      },
    });
    const { daemon } = await harness.daemon();
    daemon.send({ type: 'action_started', execution_id: 'exe_1' });
    daemon.send({ type: 'action_failed', execution_id: 'exe_1' });
    expect(await daemon.closed).toBe(1011);
    expect(harness.log.lines.map(({ fields }) => (fields as { type: string }).type)).toEqual(['action_failed']);
  });

  it('apply backpressure to the daemon while the service is busy', async () => {
    const { promise: open, resolve: letGo } = Promise.withResolvers<void>();
    const handled: string[] = [];
    await using harness = await openGateway({
      times: { pingEveryMs: 100 },
      handlers: {
        message: async (_, message) => {
          await open;
          handled.push((message as { execution_id: string }).execution_id);
        },
      },
    });
    const { daemon } = await harness.daemon();
    const output = 'x'.repeat(1024 * 1024);
    const ids = Array.from({ length: 48 }, (_, i) => `exe_${i}`);
    for (const execution_id of ids) daemon.send({ type: 'action_completed', execution_id, output });
    // It is not read from, so its pongs do not arrive either: that must not count against it.
    await until(() => daemon.of('ping').length > 5, { describe: 'a few pings' });
    expect(daemon.socket.bufferedAmount).toBeGreaterThan(16 * 1024 * 1024);
    letGo();
    await until(() => handled.length === ids.length, { describe: 'all messages' });
    expect(handled).toEqual(ids);
    expect(daemon.isOpen).toBe(true);
  });

  it('are not queued without limit for a daemon that does not read', async () => {
    await using harness = await openGateway();
    const { daemon, connection } = await harness.daemon();
    daemon.socket.pause();
    const params = { text: 'x'.repeat(1024 * 1024) };
    const action = { slug: 'a', type: 'exec' as const, command: ['true'], timeout: '1s' };
    const of = { instance_id: 'ins_1', container_name: 'a', action, params };
    let sent = 0;
    while (connection.send({ type: 'action_request', execution_id: `exe_${sent}`, ...of }))
      expect(++sent).toBeLessThan(64);
    expect(connection.ready).toBe(false);
    daemon.socket.resume();
    await until(() => connection.ready, { describe: 'the daemon to have read' });
    await until(() => daemon.of('action_request').length === sent, { describe: 'all that was sent' });
  });
});

describe('a negotiated message', () => {
  const extras = [
    { type: 'deployment_available' },
    { type: 'result_recorded', execution_id: 'exe_1' },
    { type: 'rotate_key', api_key: 'x', rotation: 'y' },
  ] as const;

  it('is not sent to daemons without the capability', async () => {
    await using harness = await openGateway({ times: { pingEveryMs: 50 } });
    const { daemon, connection } = await harness.daemon('srv_1', { capabilities: ['telepathy', 'journal', 'builtin'] });
    for (const extra of extras) expect(connection.send(extra)).toBe(false);
    await until(() => daemon.of('ping').length > 1, { describe: 'a ping' });
    expect(daemon.messages).toEqual([]);
    expect([...connection.capabilities]).toEqual(['journal', 'builtin']);
  });

  it('is sent to daemons with the capability', async () => {
    await using harness = await openGateway();
    const { daemon, connection } = await harness.daemon('srv_1', { capabilities: ['rotate', 'ack', 'wake', 'x'] });
    for (const extra of extras) expect(connection.send(extra)).toBe(true);
    await until(() => daemon.messages.length === 4, { describe: 'all messages' });
    const capabilities = ['wake', 'ack', 'rotate'];
    const authenticated = { type: 'authenticated', server_id: 'srv_1', capabilities, ping_seconds: 20 };
    expect(daemon.messages).toEqual([authenticated, ...extras]);
  });
});

describe('pings', () => {
  it('keep responsive connections open and close silent ones after two', async () => {
    await using harness = await openGateway({ times: { pingEveryMs: 100 } });
    const [alive, dead] = [await harness.daemon('srv_1'), await harness.daemon('srv_2', {}, { pongs: false })];
    expect(await dead.daemon.closed).toBe(1006);
    expect(dead.daemon.of('ping')).toHaveLength(2);
    expect(dead.daemon.of('ping')[0]).toEqual({ type: 'ping', ts: expect.any(Number) });
    await until(() => alive.daemon.of('ping').length > 6, { describe: 'more pings' });
    expect(harness.gateway.connection('srv_2')).toBeUndefined();
    expect(harness.gone).toEqual([dead.connection]);
  });
});

it('the newest connection of a server wins, regardless of the order of authentication', async () => {
  const { promise: slow, resolve: letGo } = Promise.withResolvers<void>();
  let epoch = 0;
  await using harness = await openGateway({
    handlers: {
      connected: async () => {
        const mine = ++epoch;
        if (mine === 2) await slow;
        return mine;
      },
    },
  });
  const { daemon: first } = await harness.daemon('srv_1');
  const overtaken = harness.socket({ auth: { api_key: 'srv_1' } });
  await until(() => epoch === 2, { describe: 'the second to be asked' });
  const { daemon: newest, connection } = await harness.daemon('srv_1');
  expect(await first.closed).toBe(4409);
  letGo();
  expect(await overtaken.closed).toBe(4409);
  expect(harness.gateway.connection('srv_1')).toBe(connection);
  expect(newest.isOpen).toBe(true);
  await until(() => harness.gone.length === 2, { describe: 'both to be gone' });
  expect(harness.gone.map(({ replaced, responded }) => [replaced, responded])).toEqual([
    [true, true],
    [true, true],
  ]);
});

it('stopping closes all connections and finishes the received messages', async () => {
  const { promise: slow, resolve: letGo } = Promise.withResolvers<void>();
  const handled: string[] = [];
  await using harness = await openGateway({
    handlers: {
      message: async (_, { type }) => {
        await slow;
        handled.push(type);
      },
    },
  });
  const { daemon, connection } = await harness.daemon();
  const unauthenticated = harness.socket();
  await unauthenticated.opened();
  daemon.send({ type: 'action_failed', execution_id: 'exe_1' });
  daemon.send({ type: 'pong' });
  await until(() => connection.receivedAt > 0 && daemon.socket.bufferedAmount === 0, {
    describe: 'the message to arrive',
  });
  const closed = harness.gateway.close();
  expect(await Promise.all([daemon.closed, unauthenticated.closed])).toEqual([1001, 1001]);
  expect((await upgrade(harness, '/ws/server')).status).toBe(500);
  letGo();
  await closed;
  expect(handled).toEqual(['action_failed']);
});

describe('WebSocket pings', () => {
  it('are answered, and a flood of them closes the connection', async () => {
    await using harness = await openGateway();
    const { daemon } = await harness.daemon();
    const responded = new Promise<string>((done) => daemon.socket.on('pong', (data) => done(String(data))));
    daemon.socket.ping('there?');
    expect(await responded).toBe('there?');
    for (let i = 0; i < 1_000 && daemon.isOpen; i++) daemon.socket.ping();
    expect(await daemon.closed).toBe(1006);
    await until(() => harness.gateway.connection('srv_1') === undefined, { describe: 'its end to be noticed' });
  });
});

it('an unauthenticated connection is not read while its key is looked up', async () => {
  const { promise: slow, resolve: letGo } = Promise.withResolvers<void>();
  const reports = 40;
  const output = 'x'.repeat(100_000);
  await using harness = await openGateway({ handlers: { connected: async () => slow.then(() => 1) } });
  let peer: Socket | undefined;
  harness.served.http.server.once('connection', (opened) => {
    peer = opened;
  });
  const socket = harness.socket({ auth: { api_key: 'srv_1' } });
  await socket.opened();
  for (let i = 0; i < reports; i++) socket.send({ type: 'action_completed', execution_id: `exe_${i}`, output });
  await until(() => peer?.isPaused(), { describe: 'the service to read no more' });
  expect(peer?.bytesRead).toBeLessThan(1024 * 1024);
  letGo();
  await until(() => harness.reports.length === reports, { describe: 'all of it to be heard after all' });
});
