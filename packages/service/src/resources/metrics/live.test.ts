import { connect } from 'node:net';
import type { StreamEvent } from '@hortus/client/stream';
import type { InstanceReading, ServerReading } from '@hortus/contract/resources/metrics';
import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { instanceOn } from '../../testing/log-daemon.ts';
import { load, message, metricsDaemonOf, used } from '../../testing/metrics-daemon.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type Caller, insertKeyRow, type RunningService, startApp } from '../../testing/running-service.ts';

/** Collects the events of a stream until it is left. */
function following(caller: Caller, name: 'metrics.server' | 'metrics.instance', id: string, query = {}) {
  const leaving = new AbortController();
  const seen: StreamEvent[] = [];
  const over = (async () => {
    for await (const event of caller.client.stream(name, { params: { id }, query, signal: leaving.signal }))
      seen.push(event);
  })();
  over.catch(() => {});
  return {
    seen,
    readings: <Reading>() => seen.filter(({ event }) => event === 'reading').map(({ data }) => data as Reading),
    async leave() {
      leaving.abort();
      await over.catch(() => {});
    },
  };
}

const serverFollower = (caller: Caller, id: string) => following(caller, 'metrics.server', id);

onBothEngines((engine) => {
  const open = async () => {
    const app = await startApp(engine);
    const made = await metricsDaemonOf(app);
    const id = await instanceOn(app, made.serverId);
    const { container_name: uid } = (await app.client.call('instances.read', { params: { id } })).data;
    return { app, id, uid, ...made };
  };
  const report = (app: RunningService, key: string, serverId: string, ...usage: ReturnType<typeof used>[]) =>
    app.request('PUT', `/server-capacity/${serverId}`, { key, body: { ...load, usage } });

  it('answers the newest stored reading of a server and of an instance', async () => {
    const { app, key, serverId, id, uid } = await open();
    const read = async () => (await app.client.call('metrics.server', { params: { id: serverId } })).data;
    expect(await read()).toMatchObject({ at: null, live: false, cpu: null, network: null, instances: [] });
    await report(app, key, serverId, used(uid), used(uid, { component: 'db', cpu_percent: 1 }), used('unknown'));
    const components = [
      { component: 'app', cpu_percent: 50, memory_bytes: 1_000, written_bytes_per_second: 40 },
      { component: 'db', cpu_percent: 1, read_bytes_per_second: 30 },
    ];
    expect(await read()).toMatchObject({
      live: false,
      at: expect.any(String),
      ...load,
      network: null,
      instances: [{ instance_id: id, instance_uid: expect.any(String), components }],
    });
    const metrics = async (query: object) =>
      (await app.client.call('metrics.instance', { params: { id }, query })).data;
    expect((await metrics({ range: '7d' })).latest).toMatchObject({ instance_id: id, live: false, components });
    expect((await metrics({ component: 'db' })).latest?.components).toMatchObject([{ component: 'db' }]);
  });

  it('a stream begins with the stored reading and continues live, shared by all who watch', async () => {
    const { app, key, serverId, id, uid, watching, send } = await open();
    await report(app, key, serverId, used(uid, { cpu_percent: 5 }));
    expect(watching.size).toBe(0);
    const followers = [serverFollower(app, serverId), serverFollower(app, serverId)];
    const ofInstance = following(app, 'metrics.instance', id, { component: 'app' });
    await until(() => watching.size === 1 && [...followers, ofInstance].every(({ seen }) => seen.length > 0), {
      describe: 'the stored readings and one stream',
    });
    expect(ofInstance.readings<InstanceReading>()[0]).toMatchObject({
      live: false,
      components: [{ component: 'app', cpu_percent: 5 }],
    });
    send(message(used(uid, { cpu_percent: 93.5 }), used(uid, { component: 'db' }), used('foreign')));
    for (const follower of followers) {
      await until(() => follower.readings<ServerReading>().at(-1)?.live, { describe: 'the live reading' });
      expect(follower.readings<ServerReading>().at(-1)).toMatchObject({
        ...message().server,
        instances: [{ instance_id: id, components: [{ component: 'app', cpu_percent: 93.5 }, { component: 'db' }] }],
      });
    }
    await until(() => ofInstance.readings<InstanceReading>().at(-1)?.live, { describe: 'its own reading' });
    expect(ofInstance.readings<InstanceReading>().at(-1)?.components).toMatchObject([{ cpu_percent: 93.5 }]);
    expect(watching.size).toBe(1);
    for (const follower of [...followers, ofInstance]) await follower.leave();
    await until(() => watching.size === 0, { describe: 'nothing to travel while no one watches' });
  });

  it('a daemon without the capability is replaced by its reports, and the stream says so', async () => {
    const app = await startApp(engine);
    const { key, serverId, daemon } = await metricsDaemonOf(app, ['ack', 'streams']);
    const follower = serverFollower(app, serverId);
    await until(() => follower.seen.length === 2, { describe: 'the note and the first reading' });
    expect(follower.seen[0]).toMatchObject({ event: 'delayed', data: { reason: 'old_daemon' } });
    await report(app, key, serverId);
    await until(() => follower.readings<ServerReading>().at(-1)?.at, { describe: 'the report', within: 15_000 });
    expect(follower.readings<ServerReading>().at(-1)).toMatchObject({ live: false, ...load });
    expect(daemon.orders).toEqual([]);
    await follower.leave();
  });

  it('watchers stay while the daemon is away, and continue when it is back', async () => {
    const { app, serverId, daemon, watching, send } = await open();
    const follower = serverFollower(app, serverId);
    const lost = await until(() => [...watching][0], { describe: 'a stream' });
    lost.terminate();
    await until(() => watching.size === 1 && !watching.has(lost), { describe: 'the stream to be opened again' });
    send(message());
    await until(() => follower.readings<ServerReading>().at(-1)?.live, { describe: 'a reading' });
    daemon.channel.socket.terminate();
    for (const socket of watching) socket.terminate();
    await until(() => follower.seen.some(({ event }) => event === 'delayed'), { describe: 'the note', within: 30_000 });
    expect(follower.seen.find(({ event }) => event === 'delayed')?.data).toMatchObject({
      reason: expect.stringMatching(/offline|unreachable/),
    });
    await follower.leave();
  });

  it('malformed readings end the connection of the daemon and reach no one', async () => {
    const { app, serverId, watching, send } = await open();
    const follower = serverFollower(app, serverId);
    for (const broken of ['x', { usage: [] }, { ...message(), usage: [used('a', { cpu_percent: -1 })] }]) {
      await until(() => watching.size === 1, { describe: 'a stream', within: 30_000 });
      const [socket] = watching;
      send(broken);
      await until(() => socket?.readyState === socket?.CLOSED, { describe: 'its end' });
    }
    expect(follower.readings<ServerReading>().every(({ live }) => !live)).toBe(true);
    await follower.leave();
  });

  it('a watcher that does not read costs bounded memory and continues with the newest reading', async () => {
    const { app, serverId, uid, watching, send } = await open();
    const socket = connect(Number(new URL(app.base).port), '127.0.0.1');
    let received = '';
    socket.on('data', (data) => {
      received = (received + data).slice(-200_000);
    });
    socket.write(
      `GET /api/v1/servers/${serverId}/metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${app.key}\r\n\r\n`,
    );
    await until(() => watching.size === 1, { describe: 'a stream' });
    socket.pause();
    const reader = serverFollower(app, serverId);
    const before = process.memoryUsage().rss;
    const many = Array.from({ length: 900 }, (_, n) => used(uid, { component: `c${n}` }));
    for (let round = 1; round <= 60; round++) {
      send(message(used(uid, { cpu_percent: round }), ...many));
      const isThere = () => reader.readings<ServerReading>().at(-1)?.instances[0]?.components[0]?.cpu_percent === round;
      await until(isThere, { describe: () => `reading ${round} with the other watcher` });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    socket.resume();
    await until(() => received.includes('"cpu_percent":60,'), { describe: 'the newest reading' });
    socket.destroy();
    await reader.leave();
  });

  it('needs the permission; another account sees neither server nor instance', async () => {
    const { app, key, serverId, id, uid, watching, send } = await open();
    const accept = { accept: 'text/event-stream' };
    const keyWith = (...permissions: string[]) =>
      insertKeyRow(app.database, { account_id: app.accountId, permissions: JSON.stringify(permissions) });
    const none = await keyWith('events:read');
    const other = await app.addAccount();
    for (const path of [`/servers/${serverId}/metrics`, `/instances/${id}/metrics`])
      for (const headers of [{}, accept]) {
        expectRefusal(await app.request('GET', path, { key: none, headers }), 'FORBIDDEN');
        expectRefusal(await other.request('GET', path, { headers }), 'NOT_FOUND');
      }
    await report(app, key, serverId, used(uid));
    const onlyServers = await keyWith('servers:read');
    const { json } = await app.request('GET', `/servers/${serverId}/metrics`, { key: onlyServers });
    expect(json.data).toMatchObject({ ...load, instances: [] });
    const leaving = new AbortController();
    const response = await fetch(`${app.base}/servers/${serverId}/metrics`, {
      headers: { ...accept, authorization: `Bearer ${onlyServers}` },
      signal: leaving.signal,
    });
    const withAll = serverFollower(app, serverId);
    await until(() => watching.size === 1, { describe: 'a stream' });
    send(message(used(uid)));
    await until(() => withAll.readings<ServerReading>().at(-1)?.live, { describe: 'the reading' });
    let text = '';
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (text.includes('"live":true')) break;
    }
    expect(text).not.toContain(id);
    leaving.abort();
    await withAll.leave();
  });

  it('a stream ends when its server is removed', async () => {
    const { app, serverId, watching, send } = await open();
    const response = await fetch(`${app.base}/servers/${serverId}/metrics`, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${app.key}` },
    });
    await until(() => watching.size === 1, { describe: 'a stream' });
    expect((await app.request('DELETE', `/servers/${serverId}?force=true`)).status).toBe(200);
    // Its connection may outlive it; its readings must not be seen.
    send(message());
    expect(await response.text()).not.toMatch(/event: error|"live":true/);
  });

  if (engine.name === 'postgres')
    it('readings reach a watcher of the replica that the daemon is not connected to', async () => {
      const { app, serverId, id, uid, watching, send } = await open();
      const second = await startApp(engine, {}, app.testDatabase);
      const there = { ...app, ...second };
      const followers = [serverFollower(app, serverId), serverFollower(there, serverId)];
      await until(() => watching.size === 2, { describe: 'one stream for each replica' });
      send(message(used(uid, { cpu_percent: 77 })));
      for (const follower of followers) {
        await until(() => follower.readings<ServerReading>().at(-1)?.live, { describe: 'the reading' });
        expect(follower.readings<ServerReading>().at(-1)?.instances).toMatchObject([
          { instance_id: id, components: [{ cpu_percent: 77 }] },
        ]);
        await follower.leave();
      }
    });
});
