import http from 'node:http';
import https from 'node:https';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import { type AddressGuard, AddressRefused } from '../../../outbound/address-guard.ts';
import { ResponseBody } from './response-body.ts';
import { Unreadable } from './unreadable.ts';

export interface GitRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly guard: AddressGuard;
  /** Aborts the request: rejects with the signal's reason. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Thrown if the answer is larger. */
  readonly tooLarge: () => Error;
}

export interface GitResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends one request on a new connection. Follows no redirects; the caller decides about them. */
export async function send(request: GitRequest): Promise<GitResponse> {
  request.signal.throwIfAborted();
  const timeout = AbortSignal.timeout(request.timeoutMs);
  try {
    return await exchange(request, AbortSignal.any([request.signal, timeout]));
  } catch (error) {
    request.signal.throwIfAborted();
    if (timeout.aborted) throw new Unreadable(`The host did not answer within ${request.timeoutMs / 1_000} seconds.`);
    throw described(error);
  }
}

function exchange(request: GitRequest, signal: AbortSignal): Promise<GitResponse> {
  const { url, method, body, guard, maxBytes, tooLarge } = request;
  guard.checkLiteral(url);
  const { request: open } = url.protocol === 'https:' ? https : http;
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const headers = { ...request.headers, ...length };
    const sent = open(url, { method, headers, agent: false, lookup: guard.lookup, signal });
    sent.on('error', reject);
    const onResponse = (response: http.IncomingMessage) => {
      const collected = new ResponseBody(maxBytes);
      const take = (piece: Buffer) => {
        if (collected.add(piece)) return;
        reject(tooLarge());
        response.destroy();
      };
      const ended = () => {
        const { statusCode: status = 0, headers, complete } = response;
        if (complete) resolve({ status, headers, body: collected.bytes });
        else reject(new Error('The answer was cut off.'));
      };
      response.on('data', guardedBy(reject, take));
      response.on('error', reject);
      response.on('end', guardedBy(reject, ended));
    };
    sent.on('response', guardedBy(reject, onResponse));
    sent.end(body);
  });
}

/** Messages of the network layers contain addresses; their codes are sufficient. */
function described(error: unknown): Error {
  if (error instanceof AddressRefused)
    return new Unreadable('The address of the repository is not allowed because it is not public.');
  const { code, details } = error as { code?: unknown; details?: unknown };
  // A Problem says by itself what is wrong.
  if (details !== undefined || error instanceof Unreadable) return error as Error;
  return new Unreadable(`The host could not be reached${typeof code === 'string' ? `: ${code}` : ''}.`);
}
