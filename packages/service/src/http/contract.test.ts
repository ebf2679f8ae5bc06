import type { Endpoint } from '@hortus/contract/endpoint';
import { type EndpointName, endpointRows, endpoints } from '@hortus/contract/endpoints';
import { permissionNames } from '@hortus/contract/permissions';
import { pageTokenHeader } from '@hortus/contract/protocol/page-token';
import { idPrefixes } from '@hortus/contract/records/names';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../records/ids.ts';
import { DaemonSocket } from '../testing/daemon-socket.ts';
import { onBothEngines } from '../testing/engines.ts';
import { signedIn } from '../testing/good-requests/identity.ts';
import { goodRequest } from '../testing/good-requests.ts';
import { expectPublished, expectRefusal, expectShape } from '../testing/published-response.ts';
import { type Caller, insertKeyRow, type RunningService, startApp } from '../testing/running-service.ts';
import { untouchedRequests } from '../testing/untouched-requests.ts';
import { type WriteWatch, watchWrites } from '../testing/write-watch.ts';

/** Every row of the contract, held to what the interface promises of all of them. A new row is held to it by itself. */
const rows = endpointRows;
const guarded = rows.filter(([, row]) => row.permission !== 'public');
const permitted = guarded.filter(([, row]) => row.permission !== 'session');
const withPath = rows.filter(([, row]) => row.path.includes('{'));
/** Approved recipes are visible to all accounts. */
const shared: readonly EndpointName[] = ['recipes.list', 'recipes.bySlug', 'recipes.upvote'];
/** The agent is the same for every account, and every server may fetch it. */
const agent: readonly EndpointName[] = ['implant.read', 'implant.download'];
/** The catalog is public and admins see everything; all other ids in paths belong to an account. */
const owned = withPath.filter(
  ([name, row]) =>
    !row.hot && row.permission !== 'public' && row.permission !== 'admin' && ![...shared, ...agent].includes(name),
);
const asking = rows.filter(([, row]) => Object.keys(row.query.properties).length > 0);
const lists = rows.filter(([, row]) => 'per_page' in row.query.properties);

const anyId = new RegExp(`\\b(?:${Object.values(idPrefixes).join('|')})_[0-9a-z]{26}\\b`, 'g');
const isId = (value: unknown) => typeof value === 'string' && value.replace(anyId, '') === '';

onBothEngines((engine) => {
  let service: RunningService;
  let neighbour: Caller;
  let writes: WriteWatch;
  const untouchedRequest = untouchedRequests();

  beforeAll(async () => {
    service = await startApp(engine);
    neighbour = await service.addAccount();
    writes = await watchWrites(service.database);
  });
  afterEach(async () => {
    expect(await writes.end()).toEqual([]);
  });

  describe('a request without a valid key', () => {
    const refused: Record<string, { key: string | null; headers?: Record<string, string> }> = {};
    const without: Partial<Record<string, string>> = {};
    let serverKey: string;

    beforeAll(async () => {
      const { accountId: account_id, client, database, key } = service;
      const everything = JSON.stringify(permissionNames);
      const session = await signedIn(service);
      const { [pageTokenHeader]: other = '' } = await signedIn(service);
      Object.assign(refused, {
        none: { key: null },
        empty: { key: '' },
        malformed: { key: 'let-me-in' },
        'of another scheme': { key: null, headers: { authorization: `Basic ${key}` } },
        wrong: { key: `hk_live_${'b'.repeat(43)}` },
        'of the other mode': { key: key.replace('hk_live_', 'hk_test_') },
        expired: { key: await insertKeyRow(database, { account_id, permissions: everything, expires_at: 1 }) },
        revoked: { key: await insertKeyRow(database, { account_id, permissions: everything, revoked_at: 1 }) },
        'the cookie of a session alone': { key: null, headers: { ...session, [pageTokenHeader]: '' } },
        'a session with the page token of another': { key: null, headers: { ...session, [pageTokenHeader]: other } },
        'of another network': {
          key: await insertKeyRow(database, { account_id, permissions: everything, allowed_cidrs: '["192.0.2.0/24"]' }),
        },
      });
      for (const missing of permissionNames) {
        const permissions = permissionNames.filter((name) => name !== 'admin' && name !== missing);
        without[missing] = (await client.call('keys.create', { body: { name: missing, permissions } })).data.key;
      }
      const registered = await client.call('servers.register', { body: { name: 'cellar', environment: 'staging' } });
      serverKey = registered.data.api_key;
      // While its daemon is connected, a poll need not be recorded as contact.
      const daemon = new DaemonSocket(`${service.base.replace('http', 'ws')}/ws/server`, {
        auth: { api_key: serverKey, capabilities: ['ack'] },
      });
      engine.afterwards(() => daemon.socket.terminate());
      await daemon.received('authenticated');
    });

    it.each(guarded)('%s responds with 401', async (name) => {
      const { method, path, body } = await untouchedRequest(name, service);
      await writes.begin();
      for (const [why, options] of Object.entries(refused)) {
        const response = await service.request(method, path, { ...(body && { body }), ...options });
        expect(response.status, why).toBe(401);
        expectRefusal(response, 'UNAUTHORIZED');
      }
    });

    it.each(permitted)('%s responds with 403 and names the permission', async (name, row) => {
      const { method, path, options } = await untouchedRequest(name, service);
      await writes.begin();
      const response = await service.request(method, path, { ...options, key: without[row.permission] as string });
      expectRefusal(response, 'FORBIDDEN');
      expect(response.json.error).toMatchObject({
        message: expect.stringContaining(row.permission),
        details: { permission: row.permission },
      });
    });

    it.each(guarded)('%s accepts a server key only if a daemon needs the endpoint', async (name, row) => {
      const { method, path, options } = await untouchedRequest(name, service);
      await writes.begin();
      const response = await service.request(method, path, { ...options, key: serverKey });
      if (!row.daemon) expectRefusal(response, 'FORBIDDEN');
      // What a daemon may call, it may call for its own server, and what stands in this path is another's.
      else if (agent.includes(name)) expect(response.status).toBe(200);
      else if (row.path.includes('{')) expectRefusal(response, 'NOT_FOUND');
      else expect([401, 403]).not.toContain(expectPublished(response).status);
    });
  });

  describe('a path that matches no record', () => {
    it.each(withPath)('%s responds with 404 and changes nothing', async (name) => {
      const { method, params, options, pathWith } = await untouchedRequest(name, service);
      await writes.begin();
      for (const [param, good] of Object.entries(params)) {
        const unknown = isId(good) ? newId(kindOf(String(good))) : 'no-such-thing';
        for (const value of [unknown, '0', '-1', '1e3', "' or 1=1 --", 'x'.repeat(129), 'x'.repeat(600), 'ü/%2e']) {
          const response = await service.request(method, pathWith({ [param]: value }), options);
          expect(response.status, `${param} = ${value}`).toBe(404);
          expectRefusal(response, 'NOT_FOUND');
        }
      }
    });

    it.each(withPath)('%s responds with 404 to null characters, which PostgreSQL cannot store', async (name) => {
      const { method, params, options, pathWith } = await untouchedRequest(name, service);
      for (const param of Object.keys(params)) {
        expectRefusal(await service.request(method, pathWith({ [param]: 'x\u0000' }), options), 'NOT_FOUND');
      }
    });

    it.each(owned)('%s responds with 404 for records of another account', async (name) => {
      const { method, path, params, body } = await untouchedRequest(name, service);
      expect(Object.values(params).filter(isId)).not.toEqual([]);
      await writes.begin();
      expectRefusal(await neighbour.request(method, path, { body }), 'NOT_FOUND');
    });

    it('is answered with 404 if the path or its method is unknown', async () => {
      const { request } = service;
      for (const path of ['/', '/nothing', '/templates/inkwell/more', '/%zz', '//definitions']) {
        for (const key of [service.key, null]) expectRefusal(await request('GET', path, { key }), 'NOT_FOUND');
      }
      for (const [, { path }] of rows) {
        const taken = rows.filter(([, row]) => row.path === path).map(([, row]) => row.method as string);
        const somewhere = path.replaceAll(/\{\w+\}/g, 'x');
        const others = rows.filter(([, row]) => matches(row.path, somewhere)).map(([, row]) => row.method as string);
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
          if (taken.includes(method) || others.includes(method)) continue;
          expectRefusal(await request(method, somewhere), 'NOT_FOUND');
        }
      }
    });
  });

  it.each(asking)('%s refuses an invalid query', async (name, row) => {
    const { method, pathWith, options } = await untouchedRequest(name, service);
    const [path = ''] = pathWith({}).split('?');
    for (const [field, { type }] of Object.entries(row.query.properties as Record<string, { type?: string }>)) {
      const wrong = type === 'string' ? ['', 'x'.repeat(200), 'x%00'] : ['', 'perhaps'];
      for (const value of wrong) {
        const response = await service.request(method, `${path}?${field}=${value}`, options);
        expectRefusal(response, 'VALIDATION_ERROR', field);
      }
    }
  });

  describe('a list', () => {
    it.each(lists)('%s has pages', async (name) => {
      const { method, path, options } = await untouchedRequest(name, service);
      await writes.begin();
      const ask = (query: string) =>
        service.request(method, `${path}${path.includes('?') ? '&' : '?'}${query}`, options);
      for (const [field, values] of [
        ['page', ['0', '-1', 'abc', '', '1.5', '1e2', '99999999999999999999']],
        ['per_page', ['0', '101', '1.5', 'abc', '-1']],
      ] as const) {
        for (const value of values) expectRefusal(await ask(`${field}=${value}`), 'VALIDATION_ERROR', field);
      }
      expectRefusal(await ask('page=1&page=2'), 'VALIDATION_ERROR', 'page');

      const whole = expectPublished(await ask('per_page=100&surprise=1')).json;
      const { total } = whole.pagination;
      expect(whole.pagination).toEqual({ page: 1, per_page: 100, total, total_pages: Math.ceil(total / 100) });
      expect(whole.data).toHaveLength(Math.min(total, 100));
      expect((await ask('')).json.pagination).toMatchObject({ page: 1, per_page: 20, total });
      const bySize = Math.max(1, Math.min(33, Math.ceil(total / 3)));
      const pages = await Promise.all(
        [1, 2, 3].map(async (page) => (await ask(`per_page=${bySize}&page=${page}`)).json),
      );
      expect(pages.flatMap((page) => page.data).map(timeless)).toEqual(whole.data.slice(0, 3 * bySize).map(timeless));
      expect(pages[1].pagination).toEqual({ page: 2, per_page: bySize, total, total_pages: Math.ceil(total / bySize) });
      expect((await ask('page=1000000')).json).toMatchObject({ data: [], pagination: { page: 1_000_000, total } });
    });

    it.each(lists.filter(([name]) => !shared.includes(name)))(
      '%s lists no records of another account',
      async (name) => {
        const idsOf = async (caller: Caller) => {
          const { method, path, options } = await goodRequest(name, caller);
          const response = await caller.request(
            method,
            `${path}${path.includes('?') ? '&' : '?'}per_page=100`,
            options,
          );
          return new Set(
            JSON.stringify(expectPublished(response).json)
              .match(anyId)
              ?.filter((id) => !id.startsWith('tpl_')),
          );
        };
        const [ours, theirs] = [await idsOf(service), await idsOf(neighbour)];
        expect([...ours.intersection(theirs)]).toEqual([]);
      },
    );
  });

  describe('a valid request', () => {
    const reached = new Set<EndpointName>();

    it.each(rows)('%s gets a response that matches the contract', async (name, row) => {
      const { method, path, options } = await goodRequest(name, service);
      const response = await service.request(method, path, options);
      expect(response.status, JSON.stringify(response.json)).toBe(row.status);
      expectPublished(response, row);
      expectShape(row.response, response.json);
      reached.add(name);
    });

    it('webhooks.deliveries lists every kind of delivery in the shape of the contract', async () => {
      const { path, params } = await goodRequest('webhooks.deliveries', service);
      const common = { account_id: service.accountId, endpoint_id: String(params.id), event_type: 'action.failed' };
      const times = { created_at: 1, delivered_at: null, next_attempt_at: null };
      const tried = { attempts: 1, response_code: 200, error: null, duration_ms: 5 };
      for (const [seq, of] of [
        { ...times, ...tried, status: 'delivered' as const, delivered_at: 2 },
        { ...times, ...tried, status: 'dead' as const, response_code: null, error: 'refused' },
      ].entries()) {
        const row = { ...common, ...of, id: newId('delivery'), event_id: newId('event'), seq };
        await service.database.db.insertInto('deliveries').values(row).execute();
      }
      const { json } = expectPublished(await service.request('GET', path));
      expect(json.data.map(({ status }: { status: string }) => status)).toEqual(['dead', 'delivered']);
      expectShape(endpoints['webhooks.deliveries'].response, json);
    });

    it('is tested for every endpoint', () => {
      expect([...reached].sort()).toEqual(rows.map(([name]) => name).sort());
    });
  });
});

/** An item without what time alone changes: it differs between two answers though nothing was done. */
const timeless = ({ uptime_seconds: _, age_seconds: __, last_seen_at: ___, ...item }: Record<string, unknown>) => item;

function kindOf(id: string) {
  const found = Object.entries(idPrefixes).find(([, prefix]) => id.startsWith(`${prefix}_`));
  return found?.[0] as keyof typeof idPrefixes;
}

const matches = (path: Endpoint['path'], somewhere: string) =>
  new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(somewhere);
