import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { EndpointName } from '@hortus/contract/endpoints';
import { type FastifyInstance, fastify } from 'fastify';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { invalid, type Problem } from '../problem.ts';
import type { Storage } from '../storage/storage.ts';
import type { Vault } from '../vault/vault.ts';
import { addApiRoutes } from './api-routes.ts';
import { callerAddress } from './caller-address.ts';
import { asksForChannel } from './channel-request.ts';
import { addDocuments } from './documents.ts';
import { BODY_LIMIT, malformedJson } from './errors.ts';
import { type Authenticator, Gate } from './gate.ts';
import type { Handlers } from './handler.ts';
import { hotFront } from './hot-front.ts';
import { HotReads, type HotSource } from './hot-reads.ts';
import { addProbes } from './probes.ts';
import { RateLimiter } from './rate-limit.ts';
import { SharedRateWindows } from './rate-windows/shared.ts';
import { addRequestHooks, answerUnroutable } from './request-hooks.ts';
import { requestId } from './request-id.ts';
import { secureTransport } from './secure-transport.ts';
import { Shutdown } from './shutdown.ts';
import { answerSocketErrors } from './socket-errors.ts';
import { fieldWithNull, NO_NULL } from './validation/null-character.ts';

export interface HttpDeps {
  readonly config: Pick<Config, 'host' | 'port' | 'publicUrl' | 'rateLimits' | 'trustedProxies'>;
  /** The handlers of all resources, merged. */
  readonly handlers: Handlers<EndpointName>;
  readonly authenticator: Authenticator;
  readonly storage: Storage;
  readonly vault: Vault;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Of the service, shown by `/health` and in the OpenAPI document. */
  readonly version: string;
  readonly catalog: HotSource;
  /** Milliseconds since 1970; tests pass their own. */
  readonly clock?: () => number;
  /** How long requests in flight get to end when the service stops. */
  readonly graceMs?: number;
}

export interface Http {
  /** For what speaks something else than requests and answers: the daemon channel takes its upgrades from here. */
  readonly server: Server;
  /** Answers on the socket of a request that asked for the daemon channel and cannot have it. */
  readonly refuse: (socket: Duplex, problem: Problem) => void;
  /** Where it listens is known once it does: port 0 takes a free one. */
  listen(): Promise<AddressInfo>;
  /** A request without a socket, for tests. */
  readonly inject: FastifyInstance['inject'];
  /** Takes no new connection, lets requests in flight end, resolves when the last has been answered. */
  close(): Promise<void>;
}

/** A whole request must have arrived within this time, however slowly it trickles in. */
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 72_000;
const socketOptions = {
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  shouldUpgradeCallback: asksForChannel,
};
/**
 * Connections that the kernel keeps until we come to them; it lowers this to its own limit. When all daemons return at once
 * and there is no room, their attempts are dropped and everybody's, and TCP tries again after one, three and seven seconds.
 */
const BACKLOG = 8_192;
/** Ids in paths are shorter; what is longer names nothing. */
const LONGEST_PARAMETER = 512;

export async function buildHttp(deps: HttpDeps): Promise<Http> {
  const { config, authenticator, storage, metrics, log } = deps;
  const limiter = new RateLimiter(config.rateLimits, deps.clock);
  const shared = storage.engine === 'postgres' ? new SharedRateWindows(limiter, storage) : undefined;
  const addressOf = callerAddress(config.trustedProxies);
  const gate = new Gate(authenticator, limiter, config.publicUrl);
  const hotReads = new HotReads(deps.catalog, metrics);
  const front = hotFront({ reads: hotReads, authenticator, limiter, addressOf, log });
  const parts = { gate, limiter, addressOf, metrics, log };

  let stopping: Shutdown | undefined;
  const app = fastify({
    serverFactory: (router) =>
      createServer(socketOptions, (request, response) => {
        if (stopping?.begun || !front(request, response)) router(request, response);
      }),
    clientErrorHandler: () => {},
    frameworkErrors: (error, request, reply) => answerUnroutable(parts, error, request, reply),
    genReqId: ({ headers }) => requestId(headers['x-request-id'] as string | undefined),
    bodyLimit: BODY_LIMIT,
    return503OnClosing: false,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
  });
  readOnlyJson(app);
  const shutdown = new Shutdown(app.server, deps.graceMs);
  stopping = shutdown;
  const refuse = answerSocketErrors(app.server, limiter, addressOf);
  addRequestHooks(app, { ...parts, shutdown });
  addApiRoutes(app, deps.handlers, {
    storage,
    vault: deps.vault,
    publicUrl: config.publicUrl,
    secureTransport: secureTransport(config.trustedProxies),
    hotReads,
  });
  addDocuments(app, { publicUrl: config.publicUrl, version: deps.version });
  addProbes(app, { storage, metrics, gate });
  await app.ready();
  shared?.start();

  return {
    server: app.server,
    refuse,
    listen: () => listen(app.server, config),
    inject: app.inject.bind(app) as FastifyInstance['inject'],
    async close() {
      await shutdown.run();
      await app.close();
      await shared?.close();
    },
  };
}

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<AddressInfo> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', fail);
      done(server.address() as AddressInfo);
    });
  });
}

/** Bodies are JSON and nothing else; an empty one is none. */
function readOnlyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    parse(request, body as string, (error, value) => {
      if (error) return done(malformedJson());
      // Only written like this can it stand in JSON, so that hardly any body has to be searched.
      const field = body.includes('\\u0000') ? fieldWithNull(value) : undefined;
      done(field === undefined ? null : invalid(field, NO_NULL), value);
    });
  });
}
