import http from 'node:http';
import https from 'node:https';
import { guardedBy } from '@hortus/contract/guarded-by';
import { type AddressGuard, AddressRefused } from './address-guard.ts';

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly guard: AddressGuard;
  /** Aborts the request: rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

/** Either a status or a short reason why there is none, without any content of the request. */
export type PostResult = { readonly durationMs: number } & (
  | { readonly status: number; readonly error: null }
  | { readonly status: null; readonly error: string }
);

/** The body of the answer is ignored; this much is read, so that the receiver can finish sending. */
const MOST_ANSWER_BYTES = 4_096;

/** Sends one POST on a new connection. Follows no redirects, because they could bypass the guard. */
export async function post(request: Post): Promise<PostResult> {
  request.signal.throwIfAborted();
  const begun = performance.now();
  const durationMs = () => Math.round(performance.now() - begun);
  const timeout = AbortSignal.timeout(request.timeoutMs);
  try {
    const status = await statusOf(request, AbortSignal.any([request.signal, timeout]));
    return { status, error: null, durationMs: durationMs() };
  } catch (error) {
    request.signal.throwIfAborted();
    const reason = timeout.aborted ? `no answer within ${request.timeoutMs / 1_000} s` : describe(error);
    return { status: null, error: reason, durationMs: durationMs() };
  }
}

async function statusOf({ url, headers, body, guard }: Post, signal: AbortSignal): Promise<number> {
  const target = new URL(url);
  guard.checkLiteral(target);
  const { request } = target.protocol === 'https:' ? https : http;
  return await new Promise((resolve, reject) => {
    const sent = request(target, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      agent: false,
      lookup: guard.lookup,
      signal,
    });
    sent.on('error', reject);
    const answered = (answer: http.IncomingMessage) => {
      let bytes = 0;
      const count = (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MOST_ANSWER_BYTES) answer.destroy();
      };
      answer.on('data', guardedBy(reject, count));
      answer.on('error', () => {});
      resolve(answer.statusCode ?? 0);
    };
    sent.on('response', guardedBy(reject, answered));
    sent.end(body);
  });
}

/** Messages of the network layers contain addresses; their codes are sufficient. */
function describe(error: unknown): string {
  if (error instanceof AddressRefused) return 'the address is not allowed because it is not public';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `the request failed: ${code}` : 'the request failed';
}
