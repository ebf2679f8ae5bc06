import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { EndpointName, LiveName } from '@hortus/contract/endpoints';
import type { Config } from '../config/config.ts';
import type { Principal } from '../identity/principal.ts';
import type { Problem } from '../problem.ts';
import { guardWith } from '../process/guard.ts';
import type { Log } from '../process/log.ts';
import type { Metrics } from '../process/metrics.ts';
import type { Storage } from '../storage/storage.ts';
import type { Vault } from '../vault/vault.ts';
import type { Work } from '../workers/job.ts';
import { allowedHosts } from './allowed-hosts.ts';
import { addApiRoutes } from './api-routes.ts';
import { BodyBudget, type BodyLimits } from './body-budget.ts';
import { BodyPace } from './body-pace.ts';
import type { Fence } from './call.ts';
import { callerAddress, countedAddress } from './caller-address.ts';
import { Compression } from './compression.ts';
import { ConnectionLimit, type ConnectionLimits } from './connection-limit.ts';
import type { ConsoleFiles } from './console-files.ts';
import { addConsole } from './console-pages.ts';
import { addDocuments } from './documents.ts';
import { type Access, AccessControl, type Authenticator, type Visitor } from './gate.ts';
import type { Handlers, LiveHandlers } from './handler.ts';
import { hotFront } from './hot-front.ts';
import { HotReads, type HotSource } from './hot-reads.ts';
import { type Invoke, invokerOf } from './invoke.ts';
import { LoopTime } from './loop-time.ts';
import { addMcp } from './mcp.ts';
import { OpenStreams } from './open-streams.ts';
import { Pipelining } from './pipelining.ts';
import { addProbes } from './probes.ts';
import { RateLimiter } from './rate-limit.ts';
import { SharedRateWindows } from './rate-windows/shared.ts';
import { addRawRoutes, type RawRoute } from './raw-routes.ts';
import { requestListener } from './requests.ts';
import { Router } from './router.ts';
import { secureTransport, strictTransport, tlsCookies } from './secure-transport.ts';
import { Shutdown } from './shutdown.ts';
import { handleSocketErrors } from './socket-errors.ts';
import { Upgrades } from './upgrades.ts';

export interface HttpDeps {
  readonly config: Pick<
    Config,
    'host' | 'port' | 'publicUrl' | 'allowedHosts' | 'rateLimits' | 'streamLimits' | 'trustedProxies'
  >;
  /** The handlers of all resources, merged. */
  readonly handlers: Handlers<EndpointName>;
  /** The streams of all resources, merged. */
  readonly liveHandlers: LiveHandlers<LiveName>;
  /** Routes whose bodies are signed by their senders. */
  readonly rawRoutes?: readonly RawRoute[];
  readonly authenticator: Authenticator;
  readonly storage: Storage;
  readonly vault: Vault;
  readonly fence?: Fence;
  readonly work: Work;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Version of the service, shown by `/health` and in the OpenAPI document. */
  readonly version: string;
  readonly catalog: HotSource;
  /** The built console; without it `/` leads to the reference. */
  readonly console?: ConsoleFiles | undefined;
  /** Milliseconds since 1970; tests pass their own. */
  readonly clock?: () => number;
  readonly bodyLimits?: BodyLimits;
  readonly connectionLimits?: ConnectionLimits;
  /** How long a client may leave an answer unread. */
  readonly unreadMs?: number;
  /** Interval of heartbeats on event streams. */
  readonly heartbeatMs?: number;
  /** Time for requests in flight to finish at shutdown. */
  readonly graceMs?: number;
}

export interface Http {
  readonly server: Server;
  /** WebSockets: the daemon channel and transfers. */
  readonly upgrades: Upgrades;
  /** Refuses an upgrade with an error on its socket. */
  readonly refuse: (socket: Duplex, problem: Problem) => void;
  /** Excludes the socket of an authenticated daemon from the connection limit of its address. */
  readonly known: (socket: Duplex) => void;
  /** Authenticates the key of a WebSocket; failures count for the address, as with requests. */
  readonly authenticate: (key: string, address: string) => Promise<Principal>;
  /** Number of open event streams. */
  readonly openStreams: () => number;
  /**
   * Checks the caller of a WebSocket that clients open like that of a request: an API key, or a session cookie on a page of
   * this service. Throws if it is refused.
   */
  readonly admit: (access: Access, request: IncomingMessage) => Promise<Principal>;
  /** Returns why an admitted caller may no longer have its WebSocket. */
  readonly recheck: (access: Access, request: IncomingMessage) => Promise<Problem | undefined>;
  /** Calls an endpoint from inside the service. */
  readonly invoke: Invoke;
  /** Starts to listen and returns the address: port 0 takes a free port. */
  listen(): Promise<AddressInfo>;
  /** Stops accepting connections and resolves when requests in flight are answered. */
  close(): Promise<void>;
}

/** Maximum time to receive a whole request, however slowly it arrives. */
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 72_000;
/** A connection that takes nothing of its answer for so long is closed: the answer is kept in memory until then. */
const UNREAD_MS = 60_000;
const socketOptions = {
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  // Node would answer 400 in its own format.
  requireHostHeader: false,
};
/**
 * Pending connections in the kernel, which lowers this to its own limit. If all daemons reconnect at once and the
 * backlog is full, connection attempts are dropped, and TCP retries after one, three and seven seconds.
 */
const BACKLOG = 8_192;
export function buildHttp(deps: HttpDeps): Http {
  const { config, authenticator, storage, metrics, log } = deps;
  const limiter = new RateLimiter(config.rateLimits, deps.clock);
  const guard = guardWith(log);
  const shared = storage.engine === 'postgres' ? new SharedRateWindows(limiter, storage, guard) : undefined;
  const addressOf = callerAddress(config.trustedProxies);
  const hosts = allowedHosts(config.publicUrl, config.allowedHosts);
  const tlsCookie = tlsCookies(config);
  const wrongKeys = new RateLimiter(config.rateLimits, deps.clock);
  const accessControl = new AccessControl({
    authenticator,
    limiter,
    wrongKeys,
    publicUrl: config.publicUrl,
    allowedHosts: hosts,
    tlsCookie,
  });
  const openStreams = new OpenStreams({
    accessControl,
    guard,
    limits: config.streamLimits,
    heartbeatMs: deps.heartbeatMs,
  });
  authenticator.onChange(() => openStreams.recheckAll());
  const compression = new Compression();
  const hotReads = new HotReads(deps.catalog, metrics, compression);
  const front = hotFront({ reads: hotReads, authenticator, limiter, addressOf, log });
  const router = new Router();
  const callParts = {
    storage,
    vault: deps.vault,
    tlsCookie,
    secureTransport: secureTransport(config.trustedProxies),
    ...(deps.fence && { fence: deps.fence }),
  };
  addApiRoutes(router, deps.handlers, {
    ...callParts,
    hotReads,
    openStreams,
    liveHandlers: deps.liveHandlers,
  });
  addRawRoutes(router, deps.rawRoutes ?? []);
  addDocuments(router, { publicUrl: config.publicUrl, version: deps.version }, compression);
  const invoke = invokerOf({ ...callParts, handlers: deps.handlers, accessControl });
  addMcp(router, {
    invoke,
    hmac: (accountId, text) => deps.vault.hmac(storage.reader, accountId, text),
    publicUrl: config.publicUrl,
    version: deps.version,
    log,
  });
  addProbes(router, { storage, metrics, accessControl });
  const pageFor = addConsole(router, deps.console);

  const connections = new ConnectionLimit({
    limits: deps.connectionLimits,
    guard,
    countedFor: countedAddress(config.trustedProxies),
  });
  const upgrades = new Upgrades(
    guard,
    (socket) => pipelining.current(socket) === undefined && connections.refusal(socket) === undefined,
  );
  const server = createServer({ ...socketOptions, shouldUpgradeCallback: upgrades.takes });
  upgrades.listenTo(server);
  connections.listenTo(server);
  const shutdown = new Shutdown(server, guard, deps.graceMs);
  const budget = new BodyBudget(deps.bodyLimits);
  const loop = new LoopTime(guard);
  const serve = requestListener({
    router,
    pageFor,
    accessControl,
    budget,
    pace: new BodyPace(),
    addressOf,
    metrics,
    log,
    guard,
    strictTransport: strictTransport(config),
    shutdown,
    loop,
    waitsForDatabase: storage.engine === 'postgres',
    work: deps.work,
  });
  const current = (socket: Duplex) => pipelining.current(socket);
  const refuse = handleSocketErrors(server, { limiter, addressOf, guard, current });
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const refusal = connections.refusal(request.socket);
    if (refusal) return refuse(request.socket, refusal);
    return !shutdown.begun && front(request, response) ? undefined : serve(request, response);
  };
  const pipelining = new Pipelining(guard, handle);
  pipelining.listenTo(server);
  const visitorOf = visitorsAt(addressOf);
  server.setTimeout(deps.unreadMs ?? UNREAD_MS, guard(pipelining.silent));
  shared?.start();

  return {
    server,
    upgrades,
    refuse,
    known: (socket) => connections.forget(socket),
    authenticate: (key, address) => accessControl.identifyKey(key, address),
    openStreams: () => openStreams.size,
    async admit(access, request) {
      const { principal, refusal } = await accessControl.enter(access, visitorOf(request));
      if (refusal !== undefined || principal === undefined) throw refusal;
      return principal;
    },
    recheck: (access, request) => accessControl.recheck(access, visitorOf(request)),
    invoke,
    listen: () => listen(server, config),
    async close() {
      openStreams.close();
      await shutdown.run();
      await shared?.close();
    },
  };
}

/** Describes the caller of a WebSocket for the gate. */
const visitorsAt =
  (addressOf: ReturnType<typeof callerAddress>) =>
  ({ headers, socket }: IncomingMessage): Visitor => ({
    // Checked like a change: browsers open WebSockets with the session cookie from pages of any origin.
    method: 'POST',
    headers,
    address: addressOf(socket.remoteAddress, headers['x-forwarded-for'] as string | undefined),
    host: headers.host,
    peer: socket.remoteAddress,
    connection: socket,
  });

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<AddressInfo> {
  return new Promise((done, fail) => {
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', fail);
      done(server.address() as AddressInfo);
    });
    server.once('error', fail);
  });
}
