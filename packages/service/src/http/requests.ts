import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointName } from '@hortus/contract/endpoints';
import { isTracing } from '@hortus/tracing/span';
import { invalid } from '../problem.ts';
import type { Guard } from '../process/guard.ts';
import type { Log } from '../process/log.ts';
import type { Metrics } from '../process/metrics.ts';
import { inRequest, nameCaller } from '../storage/request-context.ts';
import type { Work } from '../workers/job.ts';
import { readBody, readBytes } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import type { BodyPace } from './body-pace.ts';
import type { CallerAddress } from './caller-address.ts';
import type { PageFor } from './console-pages.ts';
import { errorResponse, noSuchPath, retryAfterOf } from './errors.ts';
import type { Carrier, Route } from './exchange.ts';
import { Exchange } from './exchange.ts';
import type { AccessControl } from './gate.ts';
import type { LoopTime } from './loop-time.ts';
import { rateHeaders } from './rate-headers.ts';
import { subjectOf } from './rate-limit.ts';
import { endRequestSpan, inRequestSpan } from './request-span.ts';
import type { Router } from './router.ts';
import type { Shutdown } from './shutdown.ts';
import { parseTarget } from './target.ts';
import { READ_LARGE_BODY } from './validation/large-body.ts';

export interface RequestParts {
  readonly router: Router;
  readonly pageFor: PageFor;
  readonly accessControl: AccessControl;
  readonly budget: BodyBudget;
  readonly pace: BodyPace;
  readonly addressOf: CallerAddress;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly guard: Guard;
  readonly strictTransport: Carrier['transportHeaders'];
  readonly shutdown: Pick<Shutdown, 'begun'>;
  readonly work: Work;
  readonly loop: LoopTime;
  /** Whether the database is a server, for which a request may have to wait. */
  readonly waitsForDatabase: boolean;
}

/** Handles the common part of every request. */
export function requestListener(parts: RequestParts) {
  const { router, pageFor, accessControl, addressOf, metrics, log, guard, shutdown, loop } = parts;
  const handleOne = parts.waitsForDatabase ? (exchange: Exchange) => inRequest(handle, exchange) : handle;
  const carrier = {
    guard,
    transportHeaders: parts.strictTransport,
    get closing() {
      return shutdown.begun;
    },
    responded(exchange: Exchange) {
      const ms = performance.now() - exchange.begunAt;
      if (exchange.span) endRequestSpan(exchange, exchange.span);
      metrics.observe(exchange.route?.name ?? 'unknown path', exchange.status, ms / 1000);
      if (!log.isLevelEnabled('debug')) return;
      const { status, address } = exchange;
      log.debug({ ...named(exchange), status, ms: Math.round(ms * 10) / 10, address }, 'request');
    },
  };

  return (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const forwarded = request.headers['x-forwarded-for'];
    const address = addressOf(request.socket.remoteAddress, Array.isArray(forwarded) ? forwarded.join() : forwarded);
    const target = parseTarget(request.url as string);
    const method = request.method as string;
    const match = router.find(method, target.path) ?? pageFor(method, target.path, request.headers.accept);
    const exchange = new Exchange(carrier, { request, response, target, address }, match);
    return isTracing() ? inRequestSpan(exchange, handleOne) : handleOne(exchange);
  };

  async function handle(exchange: Exchange): Promise<void> {
    const { route, request } = exchange;
    try {
      // A request that is not counted is a probe: it shows how long answers take, so it waits for no others.
      if (route?.access.counted !== false && loop.isSpent) await loop.turn();
      const { rate, principal, refusal } = await (route
        ? accessControl.enter(route.access, exchange)
        : accessControl.enterNowhere(exchange));
      exchange.with(rateHeaders(rate));
      exchange.principal = principal;
      if (principal && principal.kind !== 'server') nameCaller(principal.accountId);
      if (refusal !== undefined) throw refusal;
      if (request.headers.host === undefined && request.httpVersion === '1.1') throw invalid('Host', 'is required.');
      // Checked before the body: an unknown path is a 404 even if the request is malformed.
      if (!route) throw noSuchPath();
      if (exchange.method === 'GET' || exchange.method === 'HEAD') await route.handle(exchange);
      else await handleWithBody(parts, route, exchange);
    } catch (error) {
      refuse(log, error, exchange);
    }
  }
}

/** Releases the budget of the body only after the answer: until then the handler keeps it in memory. */
async function handleWithBody(parts: RequestParts, route: Route, exchange: Exchange): Promise<void> {
  const { budget, pace, work, loop } = parts;
  const { principal, address } = exchange;
  const owner = { account: principal?.accountId ?? address, field: 'body' };
  // Only rows of the contract accept large bodies.
  const readLarge = (bytes: Uint8Array) =>
    work.run(READ_LARGE_BODY, owner, route.name as EndpointName, bytes, 'idempotency-key' in exchange.headers);
  const subject = subjectOf(principal, address);
  const room = budget.open(subject);
  try {
    try {
      const { body: size, rawBody } = route;
      if (rawBody !== undefined) {
        const { guard, request } = exchange;
        exchange.body = await readBytes(request, { limit: rawBody, room, waitAfter: pace.open(subject), loop, guard });
      } else if (size) {
        const { guard } = exchange;
        const waitAfter = pace.open(subject);
        const read = await readBody(exchange.request, { size, readLarge, room, waitAfter, loop, guard });
        exchange.body = read.body;
        exchange.bodyDigest = read.digest;
      }
    } catch (error) {
      exchange.isLast = !exchange.request.complete && !exchange.request.destroyed;
      throw error;
    }
    await route.handle(exchange);
  } finally {
    room.giveBack();
  }
}

function refuse(log: Log, error: unknown, exchange: Exchange): void {
  const { request, response } = exchange;
  const reply = errorResponse(error, exchange.id);
  const { status, body } = reply;
  // If the caller disconnected during its own request, the error is its own and cannot be answered.
  const left = request.destroyed && !request.complete;
  if (status >= 500 && !left) log.error({ err: error, ...named(exchange) }, 'request failed');
  // Headers were already sent: destroy the connection, so that a truncated answer is not taken for complete. A stream
  // has ended with the error as its last event.
  if (response.headersSent) return void (response.writableEnded || response.destroy());
  const wait = retryAfterOf(reply);
  if (wait !== undefined) exchange.with({ 'Retry-After': String(wait) });
  exchange.status = status;
  exchange.without('ETag').with({ 'Cache-Control': 'no-store' }).json(body);
}

const named = ({ id, method, path }: Exchange) => ({ request_id: id, method, path });
