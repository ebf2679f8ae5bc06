import http from 'node:http';
import https from 'node:https';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import { span } from '@hortus/tracing/span';
import { type AddressGuard, AddressRefused } from './address-guard.ts';
import type { Reply } from './deliveries.ts';

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly guard: AddressGuard;
  /** Aborts the request: rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Returns the beginning of the answer's body; otherwise the body is ignored. */
  readonly readResponse?: true;
}

/** With the beginning of the answer's body, if it was asked for. */
export type PostResult = Reply & { readonly text?: string };

/** This much of the answer is read: callers keep less, but hide secrets first, and a secret may lie across their cut. */
const MAX_RESPONSE_BYTES = 16_384;
/** A body that takes longer is cut: the status has arrived, and the next delivery waits. */
const BODY_WITHIN_MS = 1_000;

/**
 * Sends one POST on a new connection. Follows no redirects, because they could bypass the guard. Its span has no
 * address: those of chats contain their secret.
 */
export const post = (request: Post): Promise<PostResult> =>
  span('POST', { kind: 'client', attributes: { 'http.request.method': 'POST' } }, async (opened) => {
    const result = await attempt(request);
    opened.set({ 'http.response.status_code': result.status });
    if (result.status === null || result.status >= 400) opened.fail(String(result.status ?? 'no_answer'));
    return result;
  });

async function attempt(request: Post): Promise<PostResult> {
  request.signal.throwIfAborted();
  const begun = performance.now();
  const durationMs = () => Math.round(performance.now() - begun);
  const timeout = AbortSignal.timeout(request.timeoutMs);
  try {
    const response = await send(request, AbortSignal.any([request.signal, timeout]));
    return { ...response, error: null, durationMs: durationMs() };
  } catch (error) {
    request.signal.throwIfAborted();
    const reason = timeout.aborted ? `no answer within ${request.timeoutMs / 1_000} s` : describe(error);
    return { status: null, error: reason, durationMs: durationMs() };
  }
}

async function send(
  { url, headers, body, guard, readResponse }: Post,
  signal: AbortSignal,
): Promise<{ status: number; text?: string }> {
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
    const onResponse = (response: http.IncomingMessage) => {
      const status = response.statusCode ?? 0;
      const chunks: Buffer[] = [];
      let bytes = 0;
      const take = (chunk: Buffer) => {
        bytes += chunk.length;
        if (readResponse) chunks.push(chunk);
        if (bytes > MAX_RESPONSE_BYTES) response.destroy();
      };
      response.on('data', guardedBy(reject, take));
      response.on('error', () => {});
      if (!readResponse) return resolve({ status });
      const cut = setTimeout(() => response.destroy(), BODY_WITHIN_MS);
      // Also after an error or a cut: the status has arrived.
      const ended = () => {
        clearTimeout(cut);
        // In stream mode an incomplete last character is left out.
        resolve({ status, text: new TextDecoder().decode(Buffer.concat(chunks), { stream: true }) });
      };
      response.on('close', guardedBy(reject, ended));
    };
    sent.on('response', guardedBy(reject, onResponse));
    sent.end(body);
  });
}

/** Messages of the network layers contain addresses; their codes are sufficient. */
function describe(error: unknown): string {
  if (error instanceof AddressRefused) return 'the address is not allowed because it is not public';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `the request failed: ${code}` : 'the request failed';
}
