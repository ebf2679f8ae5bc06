import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { Problem } from '../problem.ts';
import { pathOf } from './call.ts';
import type { CallerAddress } from './caller-address.ts';
import { answerTo, JSON_TYPE, unknownPath } from './errors.ts';
import './fastify-request.ts';
import type { Gate } from './gate.ts';
import { rateHeaders } from './rate-headers.ts';
import type { RateLimiter } from './rate-limit.ts';
import { securityHeaders } from './security-headers.ts';
import type { Shutdown } from './shutdown.ts';

export interface HookParts {
  readonly gate: Gate;
  readonly limiter: RateLimiter;
  readonly addressOf: CallerAddress;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** What happens around every request, whatever it asks for. */
export function addRequestHooks(app: FastifyInstance, parts: HookParts & { readonly shutdown: Shutdown }): void {
  const { gate, metrics, log, shutdown } = parts;
  app.decorateRequest('principal', undefined);
  app.decorateRequest('address', '');

  app.addHook('onRequest', async (request, reply) => {
    greet(parts, request, reply);
    const { access } = request.routeOptions.config;
    const { rate, principal, refusal } = await (access ? gate.enter(access, request) : gate.enterNowhere(request));
    reply.headers(rateHeaders(rate));
    request.principal = principal;
    if (refusal !== undefined) throw refusal;
    // Before a body is looked at: a path that does not exist is not there for malformed requests either.
    if (request.is404) throw nowhere();
  });

  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (shutdown.begun) reply.header('Connection', 'close');
    done();
  });

  app.addHook('onResponse', (request, reply, done) => {
    const name = request.routeOptions.config.name ?? 'unknown path';
    metrics.observe(name, reply.statusCode, reply.elapsedTime / 1000);
    done();
    if (!log.isLevelEnabled('debug')) return;
    log.debug(
      {
        ...named(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        address: request.address,
      },
      'request',
    );
  });

  app.setErrorHandler((error, request, reply) => sendError(log, error, request, reply));
  app.setNotFoundHandler(() => {
    throw nowhere();
  });
}

/** An address that the router cannot even read. It passes no hook, so it gets here what those give. */
export function answerUnroutable(parts: HookParts, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  greet(parts, request, reply);
  reply.headers(rateHeaders(parts.limiter.count(undefined, request.address)));
  sendError(parts.log, error, request, reply);
}

function greet({ addressOf }: HookParts, request: FastifyRequest, reply: FastifyReply): void {
  const forwarded = request.headers['x-forwarded-for'];
  request.address = addressOf(request.socket.remoteAddress, Array.isArray(forwarded) ? forwarded.join() : forwarded);
  reply.headers({ ...securityHeaders, 'X-Request-Id': request.id, 'Cache-Control': 'no-store' });
}

function sendError(log: Log, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, body } = answerTo(error, request.id, request.routeOptions.bodyLimit);
  // A caller that left in the middle of its own request has caused this itself, and hears nothing of it any more.
  const left = request.raw.destroyed && !request.raw.complete;
  if (status >= 500 && !left) log.error({ err: error, ...named(request) }, 'request failed');
  if (error instanceof Problem && error.code === 'RATE_LIMITED') {
    reply.header('Retry-After', String(error.details?.retry_after));
  }
  // The framework wants to cut the connection after a body it did not read; reading it to its end lets the caller see why.
  reply.removeHeader('connection');
  reply.removeHeader('ETag');
  reply.headers({ 'Content-Type': JSON_TYPE, 'Cache-Control': 'no-store' });
  reply.code(status).send(JSON.stringify(body));
}

const named = (request: FastifyRequest) => ({
  request_id: request.id,
  method: request.method,
  path: pathOf(request.url),
});

const nowhere = () => {
  const { code, message } = unknownPath().body.error;
  return new Problem(code, message);
};
