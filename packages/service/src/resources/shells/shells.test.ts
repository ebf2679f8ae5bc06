import { createHash, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { ShellConnection } from '@hortus/client/shell/shell-connection';
import { pageTokenProtocol } from '@hortus/contract/protocol/page-token';
import { SHELL_WINDOW_BYTES, shellProtocol } from '@hortus/contract/protocol/shell-window';
import type { ShellRequest } from '@hortus/contract/resources/shells';
import { canonicalJson } from '@hortus/template/canonical/canonical-json';
import { pageHeaders, pageSession } from '@hortus/testkit/page-session';
import { until } from '@hortus/testkit/until';
import { beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openLog } from '../../process/log.ts';
import { sweep } from '../../retention/job.ts';
import { defaultRetention } from '../../retention/periods.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { instanceOn } from '../../testing/log-daemon.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type Caller, insertKeyRow, type RunningService, startApp } from '../../testing/running-service.ts';
import { type ServedShell, shellDaemonOf } from '../../testing/shell-daemon.ts';
import { retentionRules } from '../../wiring/retention-rules.ts';

/** Opens a session and connects to it. */
async function enter(caller: Caller, id: string, body: ShellRequest = {}, key = caller.key) {
  const opened = await caller.request('POST', `/instances/${id}/shells`, { body, key });
  expect(opened.status, JSON.stringify(opened.json)).toBe(201);
  let shown = Buffer.alloc(0);
  let held: Promise<void> | undefined;
  const connection = new ShellConnection({
    baseUrl: caller.base,
    key,
    sessionId: opened.json.data.id,
    terminal: body.terminal ?? true,
    output: async (_, data) => {
      await held;
      shown = Buffer.concat([shown, data]);
    },
  });
  return {
    connection,
    sessionId: opened.json.data.id as string,
    shown: () => shown,
    /** Reads nothing until the promise resolves. */
    hold(until: Promise<void>) {
      held = until;
    },
  };
}

/** Status of an upgrade. */
const upgraded = (base: string, query: string, headers: Record<string, string>): Promise<number> =>
  new Promise((done) => {
    const socket = new WebSocket(`${base.replace('http', 'ws')}/ws/shell${query}`, { headers });
    socket.on('error', () => {});
    socket.on('unexpected-response', (_, response) => {
      done(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.on('open', () => {
      done(101);
      socket.terminate();
    });
  });

onBothEngines((engine) => {
  let installation: RunningService;
  beforeAll(async () => {
    installation = await startApp(engine);
  });

  const open = async (alone?: RunningService) => {
    const app = alone ?? (await installation.inNewAccount());
    const { serverId, daemon } = await shellDaemonOf(app);
    return { app, daemon, serverId, id: await instanceOn(app, serverId) };
  };
  const session = async (app: Caller, id: string) => (await app.client.call('shells.read', { params: { id } })).data;
  const over = (app: Caller, id: string) =>
    until(async () => ((await session(app, id)).ended_at ? await session(app, id) : undefined), {
      describe: 'the end of the session',
    });

  it('orders are signed for one shell, and bound to the connection of a daemon that asks for it', async () => {
    const app = await installation.inNewAccount();
    const nonce = randomBytes(24).toString('base64url');
    const capabilities = ['ack', 'streams', 'shell', 'nonce'];
    const { serverId, publicKey, daemon } = await shellDaemonOf(app, { capabilities, nonce });
    const id = await instanceOn(app, serverId);
    const key = { key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' } as const;
    const isSigned = ({ signature, ...covered }: Record<string, unknown>) =>
      verify(null, Buffer.from(canonicalJson(covered)), key, Buffer.from(String(signature), 'base64'));
    const ids: string[] = [];
    for (const number of [1, 2]) {
      await enter(app, id, { command: ['id'], terminal: false });
      const order = { ...(await daemon.next(number)).order } as Record<string, unknown>;
      const opening = daemon.channel.of('stream_open')[number - 1];
      expect(opening).toMatchObject({ server_id: serverId, connection_nonce: nonce, order_number: number });
      expect(order).toMatchObject({ type: 'stream_order', kind: 'shell', server_id: serverId, command: ['id'] });
      expect(order.stream_id).toBe(opening.stream_id);
      expect([opening, order].map(isSigned)).toEqual([true, true]);
      expect(isSigned({ ...order, command: ['rm'] })).toBe(false);
      expect(isSigned({ ...opening, order_number: 9 })).toBe(false);
      ids.push(opening.stream_id);
    }
    expect(new Set(ids).size).toBe(2);
    const published = await open();
    await enter(published.app, published.id);
    await published.daemon.next();
    expect(published.daemon.channel.of('stream_open')[0]).not.toHaveProperty('connection_nonce');
  });

  it('carries bytes both ways, ends with the exit code, and is an audit event with who, when and how long', async () => {
    const { app, daemon, id } = await open();
    const { connection, sessionId, shown } = await enter(app, id, {
      component: 'db',
      cols: 120,
      rows: 40,
      term: 'vt100',
    });
    const served = await daemon.next();
    expect(served.order).toMatchObject({ component: 'db', tty: true, cols: 120, rows: 40, term: 'vt100' });
    await connection.write(Buffer.from('ls\r'));
    connection.resize({ cols: 90, rows: 20 });
    await until(() => served.input.toString() === 'ls\r' && served.texts.length === 1, { describe: 'the input' });
    expect(served.texts).toEqual([{ type: 'resize', cols: 90, rows: 20 }]);
    // A character that is split between two messages.
    served.say(Buffer.from('grün').subarray(0, 3));
    served.say(Buffer.from('grün').subarray(3));
    served.notify({ type: 'exit', code: 42 });
    expect(await connection.exited).toBe(42);
    expect(shown().toString()).toBe('grün');
    const ended = await over(app, sessionId);
    expect(ended).toMatchObject({
      ending: 'exited',
      exit_code: 42,
      component: 'db',
      instance_id: id,
      address: '127.0.0.1',
    });
    expect(ended.duration_ms).toBeGreaterThanOrEqual(0);
    const events = (await app.eventsOf(id)).filter(({ type }) => type.startsWith('audit.shell'));
    expect(events).toMatchObject([
      { type: 'audit.shell_opened', actor: ended.opened_by, data: { session_id: sessionId, address: '127.0.0.1' } },
      {
        type: 'audit.shell_ended',
        actor: ended.opened_by,
        data: { session_id: sessionId, duration_ms: ended.duration_ms, exit_code: 42, ending: 'exited' },
      },
    ]);
    expect((await app.client.call('shells.list', { params: { id } })).data).toEqual([ended]);
    expect(app.errors).toEqual([]);
  });

  it('needs its own permission, another account does not see the instance, and recordings need another one', async () => {
    const { app, id } = await open();
    const keyOf = (...permissions: string[]) =>
      insertKeyRow(app.database, { account_id: app.accountId, permissions: JSON.stringify(permissions) });
    const path = `/instances/${id}/shells`;
    const reader = await keyOf('instances:read', 'instances:write', 'instances:logs', 'instances:recordings');
    expectRefusal(await app.request('POST', path, { key: reader, body: {} }), 'FORBIDDEN');
    const other = await app.addAccount();
    expectRefusal(await other.request('POST', path, { body: {} }), 'NOT_FOUND');
    const shellKey = await keyOf('instances:shell');
    const { data } = (await app.request('POST', path, { key: shellKey, body: {} })).json;
    expect(await upgraded(app.base, `?session_id=${data.id}`, { authorization: `Bearer ${reader}` })).toBe(403);
    for (const read of [path, `/shells/${data.id}`, `/shells/${data.id}/recording`]) {
      expectRefusal(await app.request('GET', read, { key: shellKey }), 'FORBIDDEN');
      expectRefusal(await other.request('GET', read), 'NOT_FOUND');
      expect((await app.request('GET', read, { key: reader })).status).toBe(200);
    }
  });

  it('a member may open shells only while an owner grants it', async () => {
    const { app, daemon, id } = await open();
    const { token } = (await app.client.call('members.invite', { body: { email: 'fern@example.org' } })).data;
    const accepted = await app.request('POST', '/account/invites/accept', {
      body: { token, password: 'a password of mine' },
      key: null,
    });
    const { id: userId } = accepted.json.data.user;
    const session = pageSession(accepted.headers, accepted.json.data);
    const host = new URL(app.base).host;
    const ours = pageHeaders(session, `http://${host}`);
    const ask = () => app.request('POST', `/instances/${id}/shells`, { body: {}, key: null, headers: ours });
    expectRefusal(await ask(), 'FORBIDDEN');
    const grant = (permissions: 'instances:shell'[]) =>
      app.client.call('members.grant', { params: { id: userId }, body: { permissions } });
    expect((await grant(['instances:shell'])).data.granted_permissions).toEqual(['instances:shell']);
    const opened = await until(
      async () => {
        const response = await ask();
        return response.status === 201 && response;
      },
      { describe: 'the granted permission' },
    );
    const query = `?session_id=${opened.json.data.id}`;
    const { origin: _, ...halves } = ours;
    for (const foreign of [
      {},
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://${host}.evil.example` },
      { origin: `http://${host}`, 'sec-fetch-site': 'cross-site' },
    ])
      expect([foreign, await upgraded(app.base, query, { ...halves, ...(foreign as object) })]).toEqual([foreign, 403]);
    const cookieAlone = { cookie: session.cookie, origin: ours.origin ?? '' };
    expect(await upgraded(app.base, query, cookieAlone)).toBe(401);
    const protocols = (pageToken: string) => [shellProtocol, `${pageTokenProtocol}${pageToken}`];
    const wrong = { ...cookieAlone, 'sec-websocket-protocol': protocols(`${session.pageToken}x`).join(', ') };
    expect(await upgraded(app.base, query, wrong)).toBe(401);
    const address = `${app.base.replace('http', 'ws')}/ws/shell${query}`;
    const socket = new WebSocket(address, protocols(session.pageToken), { headers: cookieAlone });
    await once(socket, 'open');
    // The page token is never repeated in an answer.
    expect(socket.protocol).toBe(shellProtocol);
    const texts: string[] = [];
    socket.on('message', (data) => texts.push(String(data)));
    await daemon.next();
    await grant([]);
    await until(() => texts.some((text) => text.includes('"FORBIDDEN"')), { describe: 'the end of the session' });
    expectRefusal(await ask(), 'FORBIDDEN');
    expect(await over(app, opened.json.data.id)).toMatchObject({ ending: 'revoked', opened_by: userId });
  });

  it('only the key that opened a session connects to it, once, and errors are ordinary responses', async () => {
    const { app, daemon, id } = await open();
    const { data } = await app.client.call('shells.open', { params: { id }, body: {} });
    const as = (key: string) => ({ authorization: `Bearer ${key}` });
    const foreign = await insertKeyRow(app.database, { account_id: app.accountId });
    const query = `?session_id=${data.id}`;
    expect(await upgraded(app.base, query, as(foreign))).toBe(404);
    expect(await upgraded(app.base, query, {})).toBe(401);
    expect(await upgraded(app.base, query, as(`hk_live_${'z'.repeat(43)}`))).toBe(401);
    for (const wrong of ['', '?session_id=%00', `?session_id=${'x'.repeat(5_000)}`])
      expect(await upgraded(app.base, wrong, as(app.key))).toBe(404);
    expect(await upgraded(app.base, query, as(app.key))).toBe(101);
    expect(await upgraded(app.base, query, as(app.key))).toBe(404);
    expect(await over(app, data.id)).toMatchObject({ ending: 'disconnected' });
    await until(() => daemon.shells.every(({ isClosed }) => isClosed), { describe: 'the end at the daemon' });
    const late = (await app.client.call('shells.open', { params: { id }, body: {} })).data;
    await app.database.db
      .updateTable('shells')
      .set({ created_at: Date.now() - 61_000 })
      .where('id', '=', late.id)
      .execute();
    expect(await upgraded(app.base, `?session_id=${late.id}`, as(app.key))).toBe(404);
  });

  it('says what to do if the server is offline or its daemon is too old', async () => {
    const { app, daemon, id } = await open();
    const old = await shellDaemonOf(app, { capabilities: ['ack', 'streams'] });
    const ask = async (instance: string) => app.request('POST', `/instances/${instance}/shells`, { body: {} });
    expect((await ask(await instanceOn(app, old.serverId))).json.error).toMatchObject({
      details: { reason: 'old_daemon' },
      message: expect.stringMatching(/^id: the daemon of .* cannot open shells; update it\.$/),
    });
    daemon.channel.socket.terminate();
    await until(async () => (await ask(id)).json.error?.details.reason === 'offline', { describe: 'the advice' });
  });

  it('a refusal of the daemon reaches the client, and is recorded', async () => {
    const { app, daemon, id } = await open();
    const { connection, sessionId } = await enter(app, id);
    const served = await daemon.next();
    served.notify({
      type: 'error',
      code: 'FORBIDDEN',
      reason: 'policy',
      message: 'The policy of this server forbids shells.',
    });
    await expect(connection.exited).rejects.toMatchObject({ code: 'FORBIDDEN', details: { reason: 'policy' } });
    expect(await over(app, sessionId)).toMatchObject({ ending: 'refused', exit_code: null });
  });

  it('a revoked key ends its session at once', async () => {
    const { app, daemon, id } = await open();
    const made = (await app.client.call('keys.create', { body: { name: 'shell', permissions: ['instances:shell'] } }))
      .data;
    const { connection, sessionId } = await enter(app, id, {}, made.key);
    const served = await daemon.next();
    await app.client.call('keys.revoke', { params: { id: made.id } });
    await expect(connection.exited).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await until(() => served.isClosed, { describe: 'the end at the daemon' });
    expect(await over(app, sessionId)).toMatchObject({ ending: 'revoked' });
  });

  it('the notice of a revoked key ends a session before the next check at intervals', async () => {
    const { app, daemon, id } = await open();
    const body = { name: 'shell', permissions: ['instances:shell' as const] };
    const made = (await app.client.call('keys.create', { body })).data;
    const { json } = await app.request('POST', `/instances/${id}/shells`, { body: {}, key: made.key });
    const address = `${app.base.replace('http', 'ws')}/ws/shell?session_id=${json.data.id}`;
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${made.key}` } });
    const closed = new Promise((done) => socket.on('close', done));
    let checks = 0;
    // Each check begins with one.
    socket.on('ping', () => checks++);
    await daemon.next();
    await app.client.call('keys.revoke', { params: { id: made.id } });
    await closed;
    expect(checks).toBe(0);
  });

  it('a paste of 1 MB arrives intact, and waits for a command that does not read', async () => {
    const { app, daemon, id } = await open();
    const { connection } = await enter(app, id);
    const served = await daemon.next();
    served.confirms = false;
    const paste = randomBytes(1024 * 1024);
    const written = connection.write(paste);
    await until(() => served.input.length === SHELL_WINDOW_BYTES, { describe: 'one window of input' });
    served.confirms = true;
    served.notify({ type: 'ack', bytes: SHELL_WINDOW_BYTES });
    await written;
    await until(() => served.input.length === paste.length, { describe: 'all input' });
    const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(hash(served.input)).toBe(hash(paste));
    connection.close();
  });

  it('output waits for a client that does not read, and a daemon that does not wait is cut off', async () => {
    const { app, daemon, id } = await open();
    const slow = await enter(app, id);
    const served = await daemon.next();
    let go: () => void = () => {};
    slow.hold(
      new Promise((done) => {
        go = done;
      }),
    );
    const half = Buffer.alloc(SHELL_WINDOW_BYTES / 2, 'x');
    served.say(half);
    served.say(half);
    expect(served.confirmed).toBe(0);
    go();
    await until(() => served.confirmed === SHELL_WINDOW_BYTES, { describe: 'the confirmation' });
    expect(slow.shown().length).toBe(SHELL_WINDOW_BYTES);
    slow.hold(new Promise(() => {}));
    served.say(half);
    served.say(half);
    served.say(half);
    await until(() => served.isClosed, { describe: 'the end of the session' });
    slow.connection.close();
  });

  it('a client that sends malformed messages, or more than the window, is cut off', async () => {
    const { app, daemon, id } = await open();
    const attacks: ((socket: WebSocket) => void)[] = [
      (socket) => socket.send('not json'),
      (socket) => socket.send(JSON.stringify({ type: 'resize', cols: -1, rows: 1 })),
      (socket) => socket.send(JSON.stringify({ type: 'ack', bytes: 10 })),
      (socket) => socket.send(JSON.stringify({ type: 'exit', code: 0 })),
      // The engine would detach, and the command go on without its session.
      (socket) => socket.send(JSON.stringify({ type: 'eof' })),
      (socket) => socket.send(Buffer.alloc(0)),
      (socket) => socket.send(Buffer.alloc(1024 * 1024)),
      (socket) => {
        for (let i = 0; i < 20; i++) socket.send(Buffer.alloc(32 * 1024));
      },
      (socket) => {
        for (let i = 0; i < 1_000; i++) socket.ping();
      },
    ];
    for (const [index, attack] of attacks.entries()) {
      const { data } = await app.client.call('shells.open', { params: { id }, body: {} });
      const socket = new WebSocket(`${app.base.replace('http', 'ws')}/ws/shell?session_id=${data.id}`, {
        headers: { authorization: `Bearer ${app.key}` },
      });
      socket.on('error', () => {});
      const served = await daemon.next(index + 1);
      served.confirms = false;
      attack(socket);
      await until(() => served.isClosed && socket.readyState === WebSocket.CLOSED, { describe: `the end (${index})` });
      expect((await over(app, data.id)).ending).toMatch(/^(failed|disconnected)$/);
    }
    expect(app.errors).toEqual([]);
  });

  it('a daemon that sends malformed messages, repeats its start or confirms too much is cut off', async () => {
    const { app, daemon, id } = await open();
    const attacks: ((served: ServedShell) => void)[] = [
      (served) => served.socket.send('not json'),
      (served) => served.socket.send(Buffer.alloc(0)),
      (served) => served.socket.send(Buffer.alloc(2 * 1024 * 1024)),
      (served) => served.notify({ type: 'started', component: 'app' }),
      (served) => served.notify({ type: 'exit', code: 1_000 }),
      (served) => served.notify({ type: 'ack', bytes: 1 }),
      (served) => served.notify({ type: 'error', code: 'NO_SUCH_CODE', message: '' }),
      (served) => {
        for (let i = 0; i < 1_000; i++) served.socket.ping();
      },
    ];
    for (const [index, attack] of attacks.entries()) {
      const { connection, sessionId } = await enter(app, id);
      const served = await daemon.next(index + 1);
      await connection.started;
      attack(served);
      await expect(connection.exited).rejects.toMatchObject({
        code: 'SERVER_ERROR',
        details: { reason: 'server_lost' },
      });
      await until(() => served.isClosed, { describe: `the end (${index})` });
      expect((await over(app, sessionId)).ending).toMatch(/^(failed|server_lost)$/);
    }
    expect(app.errors).toEqual([]);
  });

  it('a component name with control characters does not reach lists and events', async () => {
    const { app, daemon, id } = await open();
    daemon.component = 'app\u001b[2J';
    const { connection, sessionId } = await enter(app, id);
    await expect(connection.exited).rejects.toMatchObject({ details: { reason: 'server_lost' } });
    expect(await over(app, sessionId)).toMatchObject({ component: null });
  });

  it('an account opens a limited number of shells, and a limited number may wait for a client', async () => {
    const { app, daemon, id } = await open();
    const open32 = await Promise.all(Array.from({ length: 32 }, () => enter(app, id)));
    await daemon.next(32);
    const { data } = await app.client.call('shells.open', { params: { id }, body: {} });
    const as = { authorization: `Bearer ${app.key}` };
    expect(await upgraded(app.base, `?session_id=${data.id}`, as)).toBe(429);
    for (let i = 1; i < 32; i++) await app.client.call('shells.open', { params: { id }, body: {} });
    expectRefusal(await app.request('POST', `/instances/${id}/shells`, { body: {} }), 'RATE_LIMITED');
    // The refused client may try again when another session has ended.
    open32[0]?.connection.close();
    await until(async () => (await upgraded(app.base, `?session_id=${data.id}`, as)) === 101, { describe: 'room' });
    for (const { connection } of open32) connection.close();
  });

  it('sessions without a client are removed after an hour', async () => {
    const { app, id } = await open();
    const { data } = await app.client.call('shells.open', { params: { id }, body: {} });
    const { db } = app.database;
    await db
      .updateTable('shells')
      .set({ created_at: Date.now() - 3_700_000 })
      .where('id', '=', data.id)
      .execute();
    await db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'shells.unseen').execute();
    await until(async () => (await app.request('GET', `/shells/${data.id}`)).status === 404, {
      describe: 'the removal',
    });
  });

  it('a removed server ends its shells', async () => {
    const { app, daemon, id, serverId } = await open();
    const { connection, sessionId } = await enter(app, id);
    await daemon.next();
    await connection.started;
    await app.client.call('servers.delete', { params: { id: serverId }, query: { force: true } });
    await expect(connection.exited).rejects.toMatchObject({ details: { reason: 'server_lost' } });
    expect(await over(app, sessionId)).toMatchObject({ ending: 'server_lost' });
  });

  it('recordings of an account with too many are kept short, and their end is given back', async () => {
    const { app, daemon, id } = await open();
    const { db } = app.database;
    await db
      .insertInto('stored_recordings')
      .values({ account_id: app.accountId, bytes: 2 ** 30 })
      .execute();
    const { connection, sessionId } = await enter(app, id);
    const served = await daemon.next();
    for (let i = 1; i <= 10; i++) {
      served.say(Buffer.alloc(32 * 1024, 'z'));
      await until(() => served.confirmed >= i * 32 * 1024, { describe: 'the confirmation' });
    }
    served.notify({ type: 'exit', code: 0 });
    await connection.exited;
    const { recorded_bytes, recording_cut } = await over(app, sessionId);
    expect(recording_cut).toBe(true);
    expect(recorded_bytes).toBe(64 * 1024);
    const stored = db.selectFrom('stored_recordings').select('bytes').where('account_id', '=', app.accountId);
    expect((await stored.executeTakeFirst())?.bytes).toBe(2 ** 30 + 64 * 1024);
  });

  it('recordings are sealed at rest, hold what was shown, and are removed after 30 days', async () => {
    // Retention removes the recordings of every account.
    const { app, daemon, id } = await open(await startApp(engine));
    const secret = `token-${randomBytes(12).toString('hex')}`;
    const { connection, sessionId } = await enter(app, id, { command: ['psql', `password=${secret}`] });
    const served = await daemon.next();
    await connection.write(Buffer.from('typed, not recorded'));
    const text = `${secret} grün ✓ ${'x'.repeat(200_000)}`;
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 10_001) served.say(bytes.subarray(at, at + 10_001));
    served.notify({ type: 'exit', code: 0 });
    await connection.exited;
    expect(await over(app, sessionId)).toMatchObject({ recorded_bytes: bytes.length, recording_cut: false });
    const { db } = app.database;
    const parts = await db.selectFrom('shell_recordings').selectAll().execute();
    const row = await db.selectFrom('shells').selectAll().where('id', '=', sessionId).executeTakeFirstOrThrow();
    expect(parts.length).toBeGreaterThan(1);
    expect(JSON.stringify([parts, row])).not.toContain(secret);
    expect(JSON.stringify([parts, row])).not.toContain('xxxxxxxx');
    expect(JSON.stringify(await app.eventsOf())).not.toContain(secret);
    let shown = '';
    for (let after = 0; ; ) {
      const { data } = await app.client.call('shells.recording', { params: { id: sessionId }, query: { after } });
      expect(data.header).toMatchObject({ version: 2, width: 80, height: 24, command: `psql password=${secret}` });
      const times = data.events.map(([seconds]) => seconds);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      shown += data.events.map(([, , output]) => output).join('');
      if (data.next === null) break;
      after = data.next;
    }
    expect(shown).toBe(text);
    expect((await app.eventsOf(id)).at(-1)).toMatchObject({
      type: 'audit.shell_replayed',
      data: { session_id: sessionId },
    });
    const write = async <T>(work: (tx: typeof app.database) => Promise<T>) => work(app.database);
    const deps = {
      storage: { write } as unknown as Parameters<typeof sweep>[0]['storage'],
      rules: retentionRules(defaultRetention).filter(({ name }) => name.startsWith('shell')),
      log: openLog({ level: 'silent' }),
    };
    const days = (count: number) => () => Date.now() + count * 86_400_000;
    expect(await sweep({ ...deps, clock: days(29) })).toEqual({});
    expect(await sweep({ ...deps, clock: days(31) })).toEqual({
      'shell recordings': parts.length,
      'shell sessions': 1,
    });
    expect((await app.request('GET', `/shells/${sessionId}`)).status).toBe(404);
    expect((await db.selectFrom('stored_recordings').select('bytes').executeTakeFirst())?.bytes).toBe(0);
  });

  it('an endless output is recorded up to a limit, and marked as cut', async () => {
    const { app, daemon, id } = await open();
    const { connection, sessionId, shown } = await enter(app, id, { terminal: false });
    const served = await daemon.next();
    const piece = Buffer.concat([Buffer.of(1), Buffer.alloc(31 * 1024, 'y')]);
    for (let i = 0; i < 300; i++) {
      await until(() => i * piece.length - served.confirmed < SHELL_WINDOW_BYTES - piece.length, {
        describe: 'room in the window',
        every: 1,
      });
      served.socket.send(piece);
    }
    served.notify({ type: 'exit', code: 0 });
    await connection.exited;
    expect(shown().length).toBe(300 * 31 * 1024);
    const { recorded_bytes, recording_cut } = await over(app, sessionId);
    expect(recording_cut).toBe(true);
    expect(recorded_bytes).toBeLessThan(8.1 * 1024 * 1024);
  });

  it('sessions of a killed replica are ended when they were last seen', async () => {
    const { app, id } = await open();
    const { data } = await app.client.call('shells.open', { params: { id }, body: {} });
    const seen = Date.now() - 10 * 60_000;
    await app.database.db
      .updateTable('shells')
      .set({ started_at: seen - 5_000, seen_at: seen })
      .where('id', '=', data.id)
      .execute();
    await app.database.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'shells.unseen').execute();
    expect(await over(app, data.id)).toMatchObject({ ending: 'service_stopped', duration_ms: 5_000 });
  });

  it('a service that stops ends its sessions and stores their recordings', async () => {
    const { app, daemon, id } = await open(await startApp(engine));
    const { connection, sessionId, shown } = await enter(app, id);
    const served = await daemon.next();
    served.say('before the stop');
    await until(() => shown().length === 15, { describe: 'the output' });
    const ended = expect(connection.exited).rejects.toMatchObject({ details: { reason: 'service_stopped' } });
    await app.app.close();
    await ended;
    const next = await startApp(engine, {}, app.testDatabase);
    expect(await session(next, sessionId)).toMatchObject({ ending: 'service_stopped', recorded_bytes: 15 });
  });

  if (engine.name === 'postgres')
    it('the client may be on one replica and the daemon on the other', async () => {
      const service = await startApp(engine);
      const two = await startApp(engine, {}, service.testDatabase);
      const { serverId, daemon } = await shellDaemonOf(service, { base: two.base });
      const { connection, shown } = await enter(service, await instanceOn(service, serverId));
      const served = await daemon.next();
      await connection.write(Buffer.from('hello'));
      await until(() => served.input.toString() === 'hello', { describe: 'the input' });
      served.say('there');
      served.notify({ type: 'exit', code: 7 });
      expect(await connection.exited).toBe(7);
      expect(shown().toString()).toBe('there');
    });
});
