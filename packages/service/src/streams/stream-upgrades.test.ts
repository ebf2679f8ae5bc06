import { once } from 'node:events';
import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { onBothEngines } from '../testing/engines.ts';
import { instanceOn, logDaemonOf } from '../testing/log-daemon.ts';
import { startApp } from '../testing/running-service.ts';

/** The status that refuses an upgrade, or 101. */
const outcome = (socket: WebSocket): Promise<number> =>
  new Promise((done) => {
    socket.on('unexpected-response', (_, response) => {
      done(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.on('open', () => done(101));
  });

onBothEngines((engine) => {
  /** A request for a log whose daemon has not connected back yet. */
  const asked = async () => {
    const app = await startApp(engine);
    const { serverId, key, daemon } = await logDaemonOf(app);
    const id = await instanceOn(app, serverId);
    daemon.responds = false;
    const response = app.request('GET', `/instances/${id}/logs`);
    const { ticket } = await until(() => daemon.orders[0], { describe: 'the order to connect' });
    return { app, key, daemon, id, respond: response, ticket };
  };

  it('refuses a wrong, changed, missing or foreign ticket, and one shown by another key', async () => {
    const { app, daemon, ticket, respond: response } = await asked();
    const other = await logDaemonOf(app);
    const [claims = '', code = ''] = ticket.split('.');
    const forged = Buffer.from(
      Buffer.from(claims, 'base64url')
        .toString()
        .replace(/http[^"]*/, 'http://127.0.0.1:1'),
    ).toString('base64url');
    const wrong = [
      '',
      'x',
      'a.b',
      `${claims}.${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`,
      `${forged}.${code}`,
      claims,
      `${'x'.repeat(4_000)}.y`,
    ];
    for (const text of wrong)
      expect([text.slice(0, 20), await outcome(daemon.dial(text))]).toEqual([text.slice(0, 20), 403]);
    expect(await outcome(other.daemon.dial(ticket))).toBe(403);
    expect(await outcome(daemon.dial(ticket, { key: app.key }))).toBe(403);
    expect(await outcome(daemon.dial(ticket, { key: `hs_live_${'a'.repeat(43)}` }))).toBe(401);
    const right = daemon.dial(ticket);
    expect(await outcome(right)).toBe(101);
    right.send(JSON.stringify({ end: 0, more: false }));
    expect((await response).status).toBe(200);
  });

  it('accepts a ticket once', async () => {
    const { daemon, ticket, respond: response } = await asked();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcome(daemon.dial(ticket))));
    expect(outcomes.filter((status) => status === 101)).toHaveLength(1);
    expect(outcomes.filter((status) => status === 403)).toHaveLength(9);
    daemon.channel.socket.terminate();
    void response;
  });

  it('ends a stream with a huge message, malformed messages or too many pings, and answers an error', async () => {
    const attacks: ((socket: WebSocket) => void)[] = [
      (socket) => socket.send('x'.repeat(2 * 1024 * 1024)),
      (socket) => socket.send('not json'),
      (socket) => socket.send(JSON.stringify({ lines: [{ position: -1 }] })),
      (socket) => {
        for (let i = 0; i < 1_000; i++) socket.ping();
      },
    ];
    for (const attack of attacks) {
      const { app, daemon, ticket, respond: response } = await asked();
      const socket = daemon.dial(ticket);
      expect(await outcome(socket)).toBe(101);
      attack(socket);
      await once(socket, 'close');
      expect(await response).toMatchObject({ status: 500, json: { error: { code: 'SERVER_ERROR' } } });
      expect(app.errors.filter((line) => !line.includes('request failed'))).toEqual([]);
    }
  });

  it.each<[string, (app: Awaited<ReturnType<typeof startApp>>, id: string) => Promise<unknown>]>([
    [
      'its key is rotated at once',
      (app, id) => app.client.call('servers.rotateKey', { params: { id }, query: { force: true } }),
    ],
    [
      'the identity of the server is reset',
      (app, id) => app.client.call('servers.resetIdentity', { params: { id }, body: {} }),
    ],
    [
      'the server is removed',
      (app, id) => app.client.call('servers.delete', { params: { id }, query: { force: true } }),
    ],
  ])('an open stream of a daemon ends when %s', async (_, act) => {
    const app = await startApp(engine);
    const { serverId, daemon } = await logDaemonOf(app);
    const other = await logDaemonOf(app);
    const leaving = new AbortController();
    const watch = async (id: string) => {
      for await (const __ of app.client.stream('logs.instance', { params: { id }, signal: leaving.signal }));
    };
    const watching = [serverId, other.serverId].map(async (id) => watch(await instanceOn(app, id)).catch(() => {}));
    const socket = await until(() => [...daemon.followers][0], { describe: 'a stream' });
    await until(() => other.daemon.followers.size === 1, { describe: 'a stream of another server' });
    const [untouched] = other.daemon.followers;
    const closed = once(socket, 'close');
    await act(app, serverId);
    expect((await closed)[0]).toBe(1008);
    expect(untouched?.readyState).toBe(untouched?.OPEN);
    leaving.abort();
    await Promise.all(watching);
  });

  it('a flood of lines, and a daemon that never reads, neither grow memory nor delay others', async () => {
    const app = await startApp(engine);
    const { serverId, daemon } = await logDaemonOf(app);
    const id = await instanceOn(app, serverId);
    const leaving = new AbortController();
    const watching = (async () => {
      for await (const _ of app.client.stream('logs.instance', { params: { id }, signal: leaving.signal }));
    })().catch(() => {});
    const socket = await until(() => [...daemon.followers][0], { describe: 'a stream' });
    const before = process.memoryUsage().rss;
    const lines = Array.from({ length: 500 }, (_, i) => ({
      position: i + 2,
      at: '1760000000.000000000',
      component: 'app',
      replica: 1,
      container: 'c',
      stream: 'stdout',
      level: null,
      text: 'x'.repeat(1_000),
      cut: false,
    }));
    const message = JSON.stringify({ lines });
    for (let i = 0; i < 100; i++) {
      socket.send(message);
      if (i % 10 === 0) expect((await app.request('GET', `/instances/${id}`)).status).toBe(200);
    }
    await until(() => socket.bufferedAmount === 0, { describe: 'the flood to be taken' });
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
    leaving.abort();
    await watching;
  });
});
