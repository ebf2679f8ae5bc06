import { connect } from 'node:net';
import type { StreamEvent } from '@hortus/client/stream';
import type { ContainerLine } from '@hortus/contract/resources/logs';
import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { instanceOn, logDaemonOf } from '../../testing/log-daemon.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type Caller, insertKeyRow, startApp } from '../../testing/running-service.ts';

/** Collects the events of a stream until it is left. */
function following(caller: Caller, id: string, query: Record<string, unknown> = {}, lastEventId?: string) {
  const leaving = new AbortController();
  const seen: StreamEvent[] = [];
  const call = { params: { id }, query, signal: leaving.signal, ...(lastEventId !== undefined && { lastEventId }) };
  const over = (async () => {
    for await (const event of caller.client.stream('logs.instance', call)) seen.push(event);
  })();
  over.catch(() => {});
  const texts = () => seen.filter(({ event }) => event === 'line').map(({ data }) => (data as ContainerLine).text);
  return {
    seen,
    texts,
    over,
    async got(...wanted: string[]) {
      await until(() => texts().join() === wanted.join(), {
        describe: () => `${wanted.join()}, got ${texts().join()}`,
      });
    },
    async leave() {
      leaving.abort();
      await over.catch(() => {});
    },
  };
}

onBothEngines((engine) => {
  const open = async () => {
    const app = await startApp(engine);
    const { serverId, key, daemon } = await logDaemonOf(app);
    return { app, serverId, key, daemon, id: await instanceOn(app, serverId) };
  };

  it('pages go both ways by their cursors, with filters', async () => {
    const { app, daemon, id } = await open();
    daemon.write(...Array.from({ length: 10 }, (_, n) => `line ${n}`));
    const read = async (query: object) => (await app.client.call('logs.instance', { params: { id }, query })).data;
    const texts = ({ lines }: { lines: readonly ContainerLine[] }) => lines.map(({ text }) => text);
    const last = await read({ tail: 3 });
    expect(texts(last)).toEqual(['line 7', 'line 8', 'line 9']);
    expect(last.lines[0]).toMatchObject({ component: 'app', at: '2025-10-09T09:10:08.000Z', replica: 1 });
    const before = await read({ tail: 3, before: last.older });
    expect(texts(before)).toEqual(['line 4', 'line 5', 'line 6']);
    expect((await read({ tail: 50 })).older).toBe(null);
    expect(texts(await read({ after: before.newer, tail: 2 }))).toEqual(['line 7', 'line 8']);
    daemon.write('line 10');
    expect(texts(await read({ after: last.newer }))).toEqual(['line 10']);
    expect(texts(await read({ q: 'LINE 1', component: 'app' }))).toEqual(['line 1']);
  });

  it('a stream begins with the last lines, continues live and resumes without a gap or a double', async () => {
    const { app, daemon, id } = await open();
    daemon.write('one', 'two', 'three');
    const first = following(app, id, { tail: 2 });
    await first.got('two', 'three');
    await until(() => daemon.followers.size === 1, { describe: 'the stream of new lines' });
    daemon.write('four');
    await first.got('two', 'three', 'four');
    await first.leave();
    await until(() => daemon.followers.size === 0, { describe: 'the stream to end with its last watcher' });
    daemon.write('five', 'six');
    const again = following(app, id, {}, first.seen.at(-1)?.id);
    await again.got('five', 'six');
    daemon.write('seven');
    await again.got('five', 'six', 'seven');
    await again.leave();
  });

  it('all who watch share one stream, and each has its own filter', async () => {
    const { app, daemon, id } = await open();
    const all = [following(app, id), following(app, id), following(app, id, { q: 'bad' })];
    await until(() => daemon.followers.size > 0, { describe: 'a stream' });
    daemon.write('good', 'bad');
    await all[0]?.got('good', 'bad');
    await all[1]?.got('good', 'bad');
    await all[2]?.got('bad');
    expect(daemon.followers.size).toBe(1);
    for (const item of all) await item.leave();
  });

  it('those who watch continue after their daemon was away', async () => {
    const { app, daemon, id } = await open();
    const watcher = following(app, id);
    await until(() => daemon.followers.size === 1, { describe: 'a stream' });
    daemon.write('before');
    await watcher.got('before');
    for (const socket of daemon.followers) socket.terminate();
    daemon.write('meanwhile');
    await watcher.got('before', 'meanwhile');
    daemon.write('after');
    await watcher.got('before', 'meanwhile', 'after');
    await watcher.leave();
  });

  it('a watcher that does not read is told how many lines were left out, and costs bounded memory', async () => {
    const { app, daemon, id } = await open();
    const { port } = new URL(app.base);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `GET /api/v1/instances/${id}/logs?tail=10 HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${app.key}\r\n\r\n`,
    );
    let received = '';
    socket.on('data', (data) => {
      received += data;
      if (received.includes('ready') && count === 0) socket.pause();
    });
    let count = 0;
    await until(() => daemon.followers.size === 1, { describe: 'a stream' });
    // The first line may come from a page; the second one shows that the watcher follows.
    for (const line of ['first', 'ready']) {
      daemon.write(line);
      await until(() => received.includes(line), { describe: line });
    }
    const before = process.memoryUsage().rss;
    const text = 'x'.repeat(1_000);
    for (let round = 0; round < 150; round++) {
      daemon.write(...Array.from({ length: 200 }, () => `${++count} ${text}`));
      await new Promise((next) => setTimeout(next, 5));
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    socket.resume();
    daemon.write('the end');
    const sum = () => {
      const left = [...received.matchAll(/event: left_out\ndata: \{"lines":(\d+)/g)].map(([, n]) => Number(n));
      return received.split('event: line\n').length - 1 + left.reduce((total, n) => total + n, 0);
    };
    await until(() => sum() >= count, { describe: () => `${count} lines sent or left out, got ${sum()}` });
    expect(received).toMatch(/"text":"\d+ lines left out"/);
    socket.destroy();
  });

  it('what the daemon left out is told to all who watch', async () => {
    const { app, daemon, id } = await open();
    const watcher = following(app, id);
    await until(() => daemon.followers.size === 1, { describe: 'a stream' });
    // While it still reads pages, it misses nothing and is told nothing.
    const notify = () => {
      daemon.send({ left_out: 7, position: 1_000 });
      return watcher.seen.length > 0;
    };
    await until(notify, { describe: 'the note' });
    expect(watcher.seen[0]).toMatchObject({ event: 'left_out', data: { lines: 7, text: '7 lines left out' } });
    await watcher.leave();
  });

  it('a watcher that the ring of the daemon overtook while it caught up is told how many lines are gone', async () => {
    const { app, daemon, id } = await open();
    const [first] = daemon.write('one', 'two', 'three');
    daemon.lines.splice(0, 2);
    daemon.dropped = 1;
    const watcher = following(app, id, {}, String(first?.position));
    await watcher.got('three');
    expect(watcher.seen[0]).toMatchObject({ event: 'left_out', data: { lines: 1, text: '1 line left out' } });
    await watcher.leave();
  });

  it('a stream ends with the reason when its server is removed', async () => {
    const { app, daemon, id, serverId } = await open();
    const watcher = following(app, id);
    await until(() => daemon.followers.size === 1, { describe: 'a stream' });
    await app.client.call('servers.delete', { params: { id: serverId }, query: { force: true } });
    await expect(watcher.over).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: { reason: 'removed' } });
    await until(() => daemon.followers.size === 0, { describe: 'the connection of the daemon to end' });
  });

  it('needs its own permission; another account does not see the instance', async () => {
    const { app, id } = await open();
    const path = `/instances/${id}/logs`;
    const key = await insertKeyRow(app.database, {
      account_id: app.accountId,
      permissions: JSON.stringify(['instances:read', 'deployments:read']),
    });
    const accept = { accept: 'text/event-stream' };
    for (const headers of [{}, accept]) {
      expectRefusal(await app.request('GET', path, { key, headers }), 'FORBIDDEN');
      const other = await app.addAccount();
      expectRefusal(await other.request('GET', path, { headers }), 'NOT_FOUND');
    }
  });

  it('says what to do if the server is offline or its daemon is too old', async () => {
    const { app, serverId, daemon, id } = await open();
    const old = await logDaemonOf(app, ['ack']);
    const onOld = await instanceOn(app, old.serverId);
    const message = async (instance: string) =>
      (await app.request('GET', `/instances/${instance}/logs`)).json.error.message as string;
    expect(await message(onOld)).toMatch(/^id: the daemon of .* cannot send logs; update it\.$/);
    daemon.channel.socket.terminate();
    // A request before that would wait for the answer of a silent daemon.
    const connected = async () => (await app.client.call('servers.read', { params: { id: serverId } })).data.connected;
    await until(async () => !(await connected()), { describe: 'the service to notice' });
    expect(await message(id)).toMatch(/is not connected\. Start hortusd/);
    const refused = await app.request('GET', `/instances/${id}/logs`, { headers: { accept: 'text/event-stream' } });
    expect(refused).toMatchObject({ status: 422, json: { error: { details: { reason: 'offline' } } } });
  });

  it('refuses until and before for streams, and malformed ids', async () => {
    const { app, id } = await open();
    const accept = { accept: 'text/event-stream' };
    const path = `/instances/${id}/logs`;
    for (const query of ['until=2026-01-01T00:00:00Z', 'before=12'])
      expect(await app.request('GET', `${path}?${query}`, { headers: accept })).toMatchObject({ status: 422 });
    const broken = await app.request('GET', path, { headers: { ...accept, 'last-event-id': 'x' } });
    expect(broken.json.error.message).toMatch(/^Last-Event-ID: /);
  });
});
