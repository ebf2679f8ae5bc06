import type { Endpoint } from '@hortus/contract/endpoint';
import { endpointRows } from '@hortus/contract/endpoints';
import { pageTokenHeader, pageTokenProtocol } from '@hortus/contract/protocol/page-token';
import { shellProtocol } from '@hortus/contract/protocol/shell-window';
import { type PageSession, pageHeaders, pageSession } from '@hortus/testkit/page-session';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { onBothEngines } from '../testing/engines.ts';
import { goodRequest } from '../testing/good-requests.ts';
import { expectRefusal } from '../testing/published-response.ts';
import {
  adminEmail,
  adminPassword,
  type Caller,
  publicUrl,
  type RunningService,
  startApp,
} from '../testing/running-service.ts';
import { type WriteWatch, watchWrites } from '../testing/write-watch.ts';

/**
 * Browsers send a cookie to every port of a host, so an application beside the console receives the session of each person who
 * opens it, and can send any header with it.
 */
const guarded = endpointRows.filter(([, row]) => row.permission !== 'public');
const streams = endpointRows.filter(([, row]) => row.live !== undefined || row.stream);

/** The caller is checked before anything else of a request; `contract.test.ts` does the same with good requests. */
const pathOf = (row: Endpoint): string => row.path.replaceAll(/\{\w+\}/g, 'x');

async function signIn({ request }: Caller): Promise<PageSession> {
  const body = { email: adminEmail, password: adminPassword };
  const { headers, json } = await request('POST', '/account/login', { body, key: null });
  return pageSession(headers, json.data);
}

/** Status of an upgrade for a shell that does not exist; 404 shows that the caller was accepted. */
const shellStatus = (base: string, protocols: readonly string[], headers: Record<string, string>): Promise<number> =>
  new Promise((done) => {
    const socket = new WebSocket(`${base.replace('http', 'ws')}/ws/shell?session_id=shl_x`, [...protocols], {
      headers,
    });
    socket.on('error', () => {});
    socket.on('unexpected-response', (_, response) => {
      done(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.on('open', () => done(101));
  });

onBothEngines((engine) => {
  let service: RunningService;
  let writes: WriteWatch;
  let session: PageSession;
  let incomplete: Record<string, Record<string, string>>;

  beforeAll(async () => {
    service = await startApp(engine);
    session = await signIn(service);
    const { pageToken } = await signIn(service);
    const { cookie, ...ours } = pageHeaders(session, publicUrl);
    const both = { cookie: `${cookie}`, origin: publicUrl };
    incomplete = {
      'no page token': both,
      'an empty one': { ...both, [pageTokenHeader]: '' },
      'a wrong one': { ...both, [pageTokenHeader]: `hpt_${'a'.repeat(43)}` },
      'a shortened one': { ...both, [pageTokenHeader]: session.pageToken.slice(0, -1) },
      'that of another session of the same person': { ...both, [pageTokenHeader]: pageToken },
      'the cookie twice': { ...both, [pageTokenHeader]: `${cookie}`.split('=')[1] ?? '' },
      'a wrong subprotocol': { ...both, 'sec-websocket-protocol': `${pageTokenProtocol}x` },
      'the headers of a page of this service': { ...both, 'sec-fetch-site': 'same-origin' },
      'the page token without the cookie': ours as Record<string, string>,
    };
    writes = await watchWrites(service.database);
  });
  afterEach(async () => {
    expect(await writes.end()).toEqual([]);
  });

  describe('half a session', () => {
    it.each(guarded)('%s responds with 401 and changes nothing', async (_, row) => {
      await writes.begin();
      for (const [why, headers] of Object.entries(incomplete)) {
        const response = await service.request(row.method, pathOf(row), { key: null, headers });
        expect(response.status, why).toBe(401);
        expectRefusal(response, 'UNAUTHORIZED');
        if (headers.cookie) expect(response.json.error.details, why).toMatchObject({ reason: 'page_token' });
      }
    });

    it.each(streams)('%s does not stream', async (_, row) => {
      await writes.begin();
      for (const [why, headers] of Object.entries(incomplete)) {
        const accept = { ...headers, accept: 'text/event-stream' };
        const response = await service.request(row.method, pathOf(row), { key: null, headers: accept });
        expect(response.status, why).toBe(401);
        expect(response.headers.get('content-type'), why).toContain('application/json');
      }
    });

    it('opens no shell', async () => {
      await writes.begin();
      for (const [why, headers] of Object.entries(incomplete))
        expect(await shellStatus(service.base, [], headers), why).toBe(401);
    });

    it('reads no metrics, and the endpoint for assistants takes no session', async () => {
      const root = service.base.replace('/api/v1', '');
      // As a proxy forwards it: requests from this machine need no credential.
      const forwarded = { 'x-forwarded-for': '192.0.2.1' };
      await writes.begin();
      for (const [why, headers] of Object.entries(incomplete)) {
        const status = async (path: string, method: string) =>
          (await fetch(root + path, { method, headers: { ...headers, ...forwarded } })).status;
        expect([why, await status('/metrics', 'GET'), await status('/mcp', 'POST')]).toEqual([why, 401, 401]);
      }
    });
  });

  describe('both halves', () => {
    it('read, write, stream and reach a shell', async () => {
      const headers = pageHeaders(session, publicUrl);
      const read = await service.request('GET', '/account', { key: null, headers });
      expect(read.json.data).toMatchObject({ kind: 'session', user: { email: adminEmail } });
      // Shown once.
      expect(JSON.stringify(read.json)).not.toContain(session.pageToken);
      const { body } = await goodRequest('keys.create', service);
      expect((await service.request('POST', '/account/keys', { key: null, headers, body })).status).toBe(201);
      const leaving = new AbortController();
      const stream = await fetch(`${service.base}/events`, {
        headers: { ...headers, accept: 'text/event-stream' },
        signal: leaving.signal,
      });
      expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
      leaving.abort();
      const { [pageTokenHeader]: pageToken, ...cookieAlone } = headers;
      const protocols = [shellProtocol, `${pageTokenProtocol}${pageToken}`];
      expect(await shellStatus(service.base, protocols, cookieAlone)).toBe(404);
      expect(await shellStatus(service.base, [], headers)).toBe(404);
    });
  });

  it('neither half is stored, reported or logged', async () => {
    const stored = JSON.stringify([
      await service.database.db.selectFrom('sessions').selectAll().execute(),
      await service.database.db.selectFrom('events').selectAll().execute(),
    ]);
    for (const half of [session.pageToken, session.cookie.split('=')[1] ?? '']) expect(stored).not.toContain(half);
    expect(service.errors).toEqual([]);
  });
});
