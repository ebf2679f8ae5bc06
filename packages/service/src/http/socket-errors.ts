import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Problem } from '../problem.ts';
import type { Guard } from '../process/guard.ts';
import type { CallerAddress } from './caller-address.ts';
import {
  brokenRequestResponse,
  type ErrorResponse,
  errorResponse,
  JSON_TYPE,
  retryAfterOf,
  unknownPath,
} from './errors.ts';
import { rateHeaders } from './rate-headers.ts';
import type { RateLimiter } from './rate-limit.ts';
import { requestId } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';

type Socket = Duplex & { readonly remoteAddress?: string | undefined };

export interface SocketErrorDeps {
  readonly limiter: RateLimiter;
  readonly addressOf: CallerAddress;
  readonly guard: Guard;
  /** Returns the response in progress of a connection, if any. */
  readonly current: (socket: Socket) => ServerResponse | undefined;
}

/**
 * Answers bytes that are not an HTTP request, and therefore never reach the router, in the common error format. Returns
 * a function that refuses an upgrade in the same format.
 */
export function handleSocketErrors(server: Server, { limiter, addressOf, guard, current }: SocketErrorDeps) {
  const guardedDestroy = guard(function (this: Socket) {
    this.destroy();
  });
  const reply = (socket: Socket, response: ErrorResponse) => {
    // An answer that has started cannot be changed.
    if (!socket.writable || current(socket)?.headersSent) return void socket.destroy();
    const rate = limiter.count(undefined, addressOf(socket.remoteAddress, undefined));
    const wait = retryAfterOf(response);
    const headers = {
      ...securityHeaders,
      ...rateHeaders(rate),
      ...(wait !== undefined && { 'Retry-After': wait }),
      'X-Request-Id': requestId(undefined),
    };
    socket.end(printed(response, headers), () => socket.destroy());
  };
  const destroy = (_: unknown, socket: Socket) => socket.destroy();
  const respondToBroken = (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else reply(socket, brokenRequestResponse(error));
  };
  server.on('clientError', guard(respondToBroken, destroy));
  const refuseTunnel = (_request: IncomingMessage, socket: Socket) => {
    // Node removes its own listeners from the socket of a tunnel, and an error without a listener would end the
    // process.
    socket.on('error', guardedDestroy);
    reply(socket, unknownPath());
  };
  server.on('connect', guard(refuseTunnel, destroy));
  // Node would answer 417 without a body, but a request with an unknown expectation can be served.
  const passOn = (request: IncomingMessage, response: ServerResponse) => server.emit('request', request, response);
  server.on('checkExpectation', guard(passOn));
  return (socket: Socket, problem: Problem): void => reply(socket, errorResponse(problem, requestId(undefined)));
}

function printed({ status, body }: ErrorResponse, headers: Record<string, string | number>): string {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    'Content-Type': JSON_TYPE,
    'Content-Length': Buffer.byteLength(text),
    Date: new Date().toUTCString(),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`;
}
