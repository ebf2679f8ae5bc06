import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type EndpointName, endpointRows, type LiveName } from '@hortus/contract/endpoints';
import { pageTokenPrefix } from '@hortus/contract/protocol/page-token';
import { defaultStreamLimits } from '../../config/settings.ts';
import { type Principal, unlimited } from '../../identity/principal.ts';
import { unauthorized } from '../../problem.ts';
import { openLog } from '../../process/log.ts';
import { openMetrics } from '../../process/metrics.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { onThisThread } from '../../workers/testing/on-this-thread.ts';
import type { Authenticator } from '../gate.ts';
import type { Handlers, LiveHandlers } from '../handler.ts';
import { healthRoutes } from '../health.ts';
import type { LiveStream } from '../live-stream.ts';
import { buildHttp, type Http, type HttpDeps } from '../server.ts';

/** Principals by key. Other names are unknown keys. */
export const principals: Readonly<Record<string, Principal>> = {
  reader: {
    kind: 'key',
    id: 'key_r',
    accountId: 'acc_a',
    plan: 'free',
    userId: null,
    ...unlimited,
    permissions: ['templates:read'],
  },
  writer: {
    kind: 'key',
    id: 'key_w',
    accountId: 'acc_a',
    plan: 'free',
    userId: null,
    ...unlimited,
    permissions: ['definitions:write', 'account:write'],
  },
  /** Another key with the same permissions in the same account. */
  secondWriter: {
    kind: 'key',
    id: 'key_v',
    accountId: 'acc_a',
    plan: 'free',
    userId: null,
    ...unlimited,
    permissions: ['definitions:write', 'account:write'],
  },
  other: {
    kind: 'key',
    id: 'key_o',
    accountId: 'acc_b',
    plan: 'pro',
    userId: null,
    ...unlimited,
    permissions: ['account:write'],
  },
  admin: {
    kind: 'key',
    id: 'key_x',
    accountId: 'acc_x',
    plan: 'enterprise',
    userId: null,
    ...unlimited,
    permissions: ['admin'],
  },
  daemon: { kind: 'server', serverId: 'srv_1', accountId: 'acc_a', plan: 'free' },
  console: {
    kind: 'session',
    id: 'ses_1',
    userId: 'usr_1',
    accountId: 'acc_x',
    plan: 'enterprise',
    permissions: ['admin'],
  },
};

/** Headers of every answer. */
export const everyResponse = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id'];

export const bearer = (name: string) => ({ authorization: `Bearer ${name}` });

export const fakeAuthenticator: Authenticator = {
  async authenticate({ authorization, sessionToken, pageToken }) {
    const principal = authorization
      ? principals[authorization.slice('Bearer '.length)]
      : principals[pageToken === `${pageTokenPrefix}${sessionToken}` ? `${sessionToken}` : ''];
    if (!principal) throw unauthorized();
    return principal;
  },
  authenticateKey: async (key) => principals[key] ?? Promise.reject(unauthorized()),
  onChange: () => {},
  fromCache: (authorization) => principals[authorization?.slice('Bearer '.length) ?? ''],
};

/** Encodes instead of encrypting, so that a test can check the stored values. */
const fakeVault: Vault = {
  encrypt: async (_tx, accountId, plaintext, context = '') =>
    JSON.stringify([accountId, context, Buffer.from(plaintext).toString('base64')]),
  decrypt: async (_queries, accountId, ciphertext, context = '') => {
    const [account, place, text] = JSON.parse(ciphertext);
    if (account !== accountId || place !== context) throw new Error('Not sealed for this place.');
    return Buffer.from(text, 'base64').toString();
  },
  hmac: async (_queries, accountId, text) => createHmac('sha256', accountId).update(text).digest('hex'),
  rotate: () => Promise.reject(new Error('Nothing to rotate.')),
};

/** Storage for tests that store nothing. */
export const noStorage = { engine: 'sqlite', ping: async () => {} } as unknown as Storage;

export interface Served extends AsyncDisposable {
  readonly http: Http;
  readonly url: string;
  readonly lines: Record<string, unknown>[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends raw bytes and returns everything received until the connection ended. */
  raw(bytes: string): Promise<string>;
}

type Changes = Partial<Omit<HttpDeps, 'handlers' | 'liveHandlers' | 'config'>> & {
  handlers?: Partial<Handlers<EndpointName>>;
  liveHandlers?: Partial<LiveHandlers<LiveName>>;
  config?: Partial<HttpDeps['config']>;
  logLevel?: 'debug' | 'info';
};

export const limits = { free: 60, pro: 300, enterprise: 1000, anonymous: 300, server: 3000 };

/** Serves the HTTP layer on a real socket, with empty handlers unless the test provides others. */
export async function serve({
  handlers,
  liveHandlers,
  config,
  logLevel = 'info',
  ...changes
}: Changes = {}): Promise<Served> {
  const lines: Record<string, unknown>[] = [];
  const silent = Object.fromEntries(endpointRows.map(([name]) => [name, async () => ({ success: true, data: null })]));
  const untilItEnds = async (stream: LiveStream) => void (await once(stream.signal, 'abort'));
  const quiet = Object.fromEntries(
    endpointRows.filter(([, row]) => row.live).map(([name]) => [name, async () => untilItEnds]),
  );
  const http = buildHttp({
    work: onThisThread,
    config: {
      host: '127.0.0.1',
      port: 0,
      publicUrl: 'http://hortus.test',
      allowedHosts: [],
      rateLimits: limits,
      streamLimits: defaultStreamLimits,
      trustedProxies: [],
      ...config,
    },
    handlers: { ...silent, ...healthRoutes('1.2.3'), ...handlers } as unknown as Handlers<EndpointName>,
    liveHandlers: { ...quiet, ...liveHandlers } as LiveHandlers<LiveName>,
    authenticator: fakeAuthenticator,
    storage: noStorage,
    vault: fakeVault,
    log: openLog({ level: logLevel, stream: { write: (line) => void lines.push(JSON.parse(line)) } }),
    metrics: openMetrics(),
    version: '1.2.3',
    catalog: { version: () => 1, visibility: () => '' },
    // Fixed, so that no test crosses the end of a minute.
    clock: () => 1_000_000_000_000,
    ...changes,
  });
  const { port } = await http.listen();
  const url = `http://127.0.0.1:${port}`;
  return {
    http,
    url,
    lines,
    fetch: (path, init) => fetch(url + path, { redirect: 'manual', ...init }),
    raw: async (bytes) => {
      const socket = new Socket();
      socket.connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(bytes);
      return await text(socket);
    },
    [Symbol.asyncDispose]: () => http.close(),
  };
}

export const jsonType = 'application/json; charset=utf-8';

export const sending = (body: string, key = 'writer', type = 'application/json') => ({
  method: 'POST',
  headers: { ...bearer(key), 'content-type': type },
  body,
});
