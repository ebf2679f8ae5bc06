import { until } from '@hortus/testkit/until';
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../records/ids.ts';
import { DaemonSocket } from '../../testing/daemon-socket.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type Caller, insertKeyRow, type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  const registration = { name: 'server-1', environment: 'staging', description: 'Behind the house' };

  async function registered(caller: Caller = service) {
    const { status, json } = await caller.request('POST', '/servers/register', { body: registration });
    expect(status).toBe(201);
    const { id, api_key } = json.data as { id: string; api_key: string };
    const path = `/servers/${id}`;
    return {
      id,
      key: api_key,
      data: json.data,
      read: () => caller.request('GET', path),
      put: (body: object) => caller.request('PUT', path, { body }),
      remove: () => caller.request('DELETE', path),
      rotate: (query = '') => caller.request('POST', `${path}/rotate-key${query}`),
      /** Marks the server as connected once; with our capabilities by default. */
      seen: (capabilities = ['rotate']) =>
        service.database.db
          .updateTable('servers')
          .set({ last_seen_at: 1, capabilities: JSON.stringify(capabilities) })
          .where('id', '=', id)
          .execute(),
      /** Status of reading its own server with this key. */
      asDaemon: async (key: string) => (await service.request('GET', path, { key })).status,
    };
  }

  describe('registration of a server', () => {
    it.each(['/servers/register', '/servers'])('%s returns the key once', async (path) => {
      const { json } = await service.request('POST', path, { body: registration });
      expect(json.data).toMatchObject({ ...registration, status: 'pending', connected: false, last_seen_at: null });
      expect(json.data.api_key).toMatch(/^hs_live_[\w-]{43}$/);
      const read = await service.request('GET', `/servers/${json.data.id}`);
      const { api_key: key, manifest_public_key, ...shown } = json.data;
      expect(manifest_public_key).toEqual(expect.any(String));
      expect(read.json.data).toEqual(shown);
      const list = await service.request('GET', '/servers?per_page=100');
      expect(list.json.data).toContainEqual(shown);
      const events = await service.eventsOf(json.data.id);
      expect(events).toMatchObject([{ type: 'audit.server_registered' }]);
      expect(JSON.stringify([read.json, list.json, events])).not.toContain(key);
      const rows = await service.database.db.selectFrom('servers').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(key);
    });

    it('creates a key for this server only', async () => {
      const [mine, other] = [await registered(), await registered()];
      const theirs = await registered(await service.addAccount());
      expect(await mine.asDaemon(mine.key)).toBe(200);
      expect(await other.asDaemon(mine.key)).toBe(404);
      expect(await theirs.asDaemon(mine.key)).toBe(404);
    });

    it.each([{ environment: 'moon' }, { name: '' }, { description: 'x'.repeat(2001) }])('refuses %j', async (wrong) => {
      const response = await service.request('POST', '/servers', { body: { ...registration, ...wrong } });
      expectRefusal(response, 'VALIDATION_ERROR', Object.keys(wrong)[0]);
    });
  });

  it('an update changes the given fields and keeps the rest', async () => {
    const { put, read } = await registered();
    expect((await put({ environment: 'production' })).json.data).toMatchObject({
      ...registration,
      environment: 'production',
    });
    expect((await put({ name: 'greenhouse', description: null })).json.data).toMatchObject({
      name: 'greenhouse',
      environment: 'production',
      description: null,
    });
    expect((await put({})).json.data).toMatchObject({ name: 'greenhouse' });
    expect((await read()).json.data).toMatchObject({ name: 'greenhouse', description: null });
  });

  describe('a new key of a server', () => {
    it('replaces the old one immediately if the server never connected', async () => {
      const { key, asDaemon, rotate } = await registered();
      expect(await asDaemon(key)).toBe(200);
      const { json } = await rotate();
      expect(json.data).toMatchObject({ old_key: 'revoked' });
      expect(await asDaemon(key)).toBe(401);
      expect(await asDaemon(json.data.api_key)).toBe(200);
    });

    it('revokes the old key immediately for a daemon without the rotation capability', async () => {
      const { key, asDaemon, rotate, seen, read } = await registered();
      await seen(['journal']);
      const { json } = await rotate();
      expect(json.data).toMatchObject({ old_key: 'revoked', old_key_valid_until: null });
      expect([await asDaemon(key), await asDaemon(json.data.api_key)]).toEqual([401, 200]);
      expect((await read()).json.data.old_key_valid_until).toBeNull();
    });

    it('keeps the old key of our daemon valid until the new one is used, with a time limit', async () => {
      const { key, asDaemon, rotate, seen, read } = await registered();
      await seen();
      const { json } = await rotate();
      expect(json.data).toMatchObject({ old_key: 'valid_until_acknowledged' });
      const left = Date.parse(json.data.old_key_valid_until) - Date.now();
      expect(left).toBeGreaterThan(23.9 * 3_600_000);
      expect(left).toBeLessThanOrEqual(24 * 3_600_000);
      expect((await read()).json.data.old_key_valid_until).toBe(json.data.old_key_valid_until);
      expect(await asDaemon(key)).toBe(200);
      expect(await asDaemon(key)).toBe(200);
      expect(await asDaemon(json.data.api_key)).toBe(200);
      expect(await asDaemon(key)).toBe(401);
      expect(await asDaemon(json.data.api_key)).toBe(200);
      expect((await read()).json.data.old_key_valid_until).toBeNull();
    });

    it('replaces one that was never used', async () => {
      const { key, asDaemon, rotate, seen } = await registered();
      await seen();
      const unused = (await rotate()).json.data.api_key;
      const used = (await rotate()).json.data.api_key;
      expect(await asDaemon(unused)).toBe(401);
      expect(await asDaemon(key)).toBe(200);
      expect(await asDaemon(used)).toBe(200);
      expect(await asDaemon(key)).toBe(401);
    });

    it('replaces the old one immediately with force', async () => {
      const { key, asDaemon, rotate, seen } = await registered();
      await seen();
      const waiting = (await rotate()).json.data.api_key;
      expect(await asDaemon(key)).toBe(200);
      const { json } = await rotate('?force=true');
      expect(json.data).toMatchObject({ old_key: 'revoked' });
      expect([await asDaemon(key), await asDaemon(waiting)]).toEqual([401, 401]);
      expect(await asDaemon(json.data.api_key)).toBe(200);
      expectRefusal(await rotate('?force=perhaps'), 'VALIDATION_ERROR', 'force');
    });
  });

  describe('the daemon of a server', () => {
    const connect = (api_key: string, auth: object = {}) => {
      const daemon = new DaemonSocket(`${service.base.replace('http', 'ws')}/ws/server`, {
        auth: { api_key, ...auth },
      });
      engine.afterwards(() => daemon.socket.terminate());
      return daemon;
    };

    it('is shown while connected, and when there are two', async () => {
      const { key, read } = await registered();
      const about = { version: '2.0.0', os: 'linux', arch: 'amd64', engine: 'docker 27.1.0', capabilities: ['ack'] };
      const first = connect(key, about);
      await first.received('authenticated');
      expect((await read()).json.data).toMatchObject({
        status: 'online',
        connected: true,
        duplicate_seen_at: null,
        last_seen_at: expect.any(String),
        daemon: about,
      });
      const second = connect(key, about);
      expect(await first.closed).toBe(4409);
      await until(async () => (await read()).json.data.duplicate_seen_at, { describe: 'the duplicate to be shown' });
      expect((await read()).json.data).toMatchObject({ status: 'online', connected: true });
      expect(second.isOpen).toBe(true);
    });

    it('gets a new key, and is disconnected when the server is removed', async () => {
      const { key, rotate, remove, asDaemon } = await registered();
      const daemon = connect(key, { capabilities: ['ack', 'rotate'] });
      await daemon.received('authenticated');
      const { json } = await rotate();
      expect(json.data.old_key).toBe('valid_until_acknowledged');
      const { api_key, rotation } = await daemon.received('rotate_key');
      expect(api_key).toBe(json.data.api_key);
      daemon.send({ type: 'key_rotated', rotation });
      await until(async () => (await asDaemon(key)) === 401, { describe: 'the old key to die' });
      expect([await asDaemon(api_key), daemon.isOpen]).toEqual([200, true]);
      await remove();
      expect(await daemon.closed).toBe(4401);
    });

    it('that only polls brings its server online too', async () => {
      const { key, read } = await registered();
      expect((await service.request('GET', '/deployments/pending', { key })).status).toBe(200);
      const online = async () => (await read()).json.data.status === 'online';
      await until(online, { describe: 'the server to be online' });
      expect((await read()).json.data).toMatchObject({ connected: false });
    });
  });

  describe('removal of a server', () => {
    const define = async (server_id: string) => {
      const body = { species: 'seed', instance_uid: newId('job'), server_id, inputs: {} };
      const { json } = await service.request('POST', '/definitions', { body });
      return `/definitions/${json.data.id}`;
    };

    it('is refused while it has a definition', async () => {
      const { id, key, remove, read, asDaemon } = await registered();
      const definition = await define(id);
      const refused = await remove();
      expectRefusal(refused, 'VALIDATION_ERROR', 'id');
      expect(refused.json.error.details).toMatchObject({ reason: 'in_use', definitions: 1 });
      expect([(await read()).status, await asDaemon(key)]).toEqual([200, 200]);
      await service.request('DELETE', definition);
      expect((await remove()).status).toBe(200);
      expect((await service.request('GET', definition)).json.data).toMatchObject({ status: 'archived', server_id: id });
    });

    it('ends its key and its record', async () => {
      const { id, key, remove, read, put, rotate, asDaemon } = await registered();
      expect(await asDaemon(key)).toBe(200);
      expect((await remove()).json.data).toMatchObject({ id, name: 'server-1' });
      expect(await asDaemon(key)).toBe(401);
      for (const response of [await read(), await put({ name: 'x' }), await rotate()]) {
        expectRefusal(response, 'NOT_FOUND');
      }
      const { json } = await service.request('GET', '/servers?per_page=100');
      expect(json.data.map((server: { id: string }) => server.id)).not.toContain(id);
    });

    it('prevents reactivation of its archived definitions', async () => {
      const { id, remove } = await registered();
      const definition = await define(id);
      await service.request('DELETE', definition);
      await remove();
      expectRefusal(await service.request('POST', `${definition}/activate`), 'VALIDATION_ERROR', 'server_id');
      expect((await service.request('GET', definition)).json.data.status).toBe('archived');
    });

    it('and a concurrent creation of a definition never both succeed', async () => {
      for (let round = 0; round < 5; round++) {
        const { id, remove } = await registered();
        const body = { species: 'seed', instance_uid: newId('job'), server_id: id, inputs: {} };
        const [removed, created] = await Promise.all([remove(), service.request('POST', '/definitions', { body })]);
        expect([removed.status, created.status].sort()).not.toEqual([200, 201]);
      }
    });
  });

  it('/user/servers lists those that the caller registered, with any of their keys', async () => {
    const neighbour = await service.addAccount();
    const mine = await registered(neighbour);
    const account_id = neighbour.accountId;
    const colleague = await insertKeyRow(service.database, { account_id, created_by: newId('user') });
    const theirs = (await neighbour.request('POST', '/servers', { body: registration, key: colleague })).json.data.id;
    const listed = async (path: string, key = neighbour.key) =>
      (await neighbour.request('GET', path, { key })).json.data.map(({ id }: { id: string }) => id);
    expect(await listed('/user/servers')).toEqual([mine.id]);
    expect(await listed('/user/servers', colleague)).toEqual([theirs]);
    expect(await listed('/servers')).toEqual([theirs, mine.id]);
    const permissions = ['servers:read', 'servers:write'];
    const made = await neighbour.request('POST', '/account/keys', { body: { name: 'laptop', permissions } });
    const another = (await neighbour.request('POST', '/servers', { body: registration, key: made.json.data.key })).json;
    expect(await listed('/user/servers')).toEqual([another.data.id, mine.id]);
  });
});
