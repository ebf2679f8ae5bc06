import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Guard } from '../guard.ts';
import type { Problem } from '../problem.ts';
import type { CallerAddress } from './caller-address.ts';
import { answerTo, answerToBrokenRequest, type ErrorAnswer, JSON_TYPE, unknownPath } from './errors.ts';
import { rateHeaders } from './rate-headers.ts';
import type { RateLimiter } from './rate-limit.ts';
import { requestId } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';

type Socket = Duplex & {
  readonly remoteAddress?: string | undefined;
  readonly _httpMessage?: { readonly headersSent: boolean };
};

/**
 * Bytes that are no HTTP request never reach a router; they get an answer in our shape all the same. Answers a function
 * that refuses a request to upgrade in the same way.
 */
export function answerSocketErrors(
  server: Server,
  { limiter, addressOf, guard }: { limiter: RateLimiter; addressOf: CallerAddress; guard: Guard },
) {
  const guardedDestroy = guard(function (this: Socket) {
    this.destroy();
  });
  const reply = (socket: Socket, answer: ErrorAnswer) => {
    // Into an answer that has begun nothing can be written without spoiling it.
    if (!socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
    const rate = limiter.count(undefined, addressOf(socket.remoteAddress, undefined));
    const wait = (answer.body.error.details as { retry_after?: number } | undefined)?.retry_after;
    const headers = {
      ...securityHeaders,
      ...rateHeaders(rate),
      ...(wait !== undefined && { 'Retry-After': wait }),
      'X-Request-Id': requestId(undefined),
    };
    socket.end(printed(answer, headers), () => socket.destroy());
  };
  const destroy = (_: unknown, socket: Socket) => socket.destroy();
  const answerBroken = (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else reply(socket, answerToBrokenRequest(error));
  };
  server.on('clientError', guard(answerBroken, destroy));
  const refuseTunnel = (_request: IncomingMessage, socket: Socket) => {
    // Node takes its own listeners off the socket of a tunnel; an error that none hears ends the process.
    socket.on('error', guardedDestroy);
    reply(socket, unknownPath());
  };
  server.on('connect', guard(refuseTunnel, destroy));
  // Node would answer 417 without a body; an expectation that nobody knows is no reason not to serve the request.
  const passOn = (request: IncomingMessage, response: ServerResponse) => server.emit('request', request, response);
  server.on('checkExpectation', guard(passOn));
  return (socket: Socket, problem: Problem): void => reply(socket, answerTo(problem, requestId(undefined)));
}

function printed({ status, body }: ErrorAnswer, headers: Record<string, string | number>): string {
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
