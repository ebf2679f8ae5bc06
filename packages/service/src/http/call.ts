import type { Endpoint } from '@hortus/contract/endpoint';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../identity/principal.ts';
import { printSessionCookie, readSessionCookie } from '../identity/session-cookie.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import type { Vault } from '../vault/vault.ts';
import { tagsOf } from './entity-tags.ts';
import { type EventStream, goneSignal } from './event-stream.ts';
import { idempotentWrite, readIdempotencyKey } from './idempotency/idempotent-write.ts';
import type { SecureTransport } from './secure-transport.ts';
import type { Checks } from './validation/checks.ts';

export interface CallParts {
  readonly storage: Storage;
  readonly vault: Vault;
  readonly publicUrl: string;
  readonly secureTransport: SecureTransport;
}

/** The request as its handler gets it (see `Call` in handler.ts): checked against its row, with ways to answer. */
export function callOf(
  parts: CallParts,
  row: Endpoint,
  checks: Checks,
  request: FastifyRequest,
  reply: FastifyReply,
  stream?: EventStream,
) {
  const params = checks.params(request.params);
  const query = checks.query(request.query);
  const body = checks.body(request.body);
  const key = row.idempotent ? readIdempotencyKey(request.headers['idempotency-key']) : undefined;
  // Only public rows have none, and their handlers do not look at it.
  const principal = request.principal as Principal;
  return {
    principal,
    params,
    query,
    body,
    address: request.address,
    secure: parts.secureTransport(request.socket.remoteAddress, request.headers),
    tags: tagsOf(request.headers['if-match'], reply),
    sessionToken: readSessionCookie(request.headers.cookie),
    emit(event: string, data: object): void {
      stream?.emit(event, data);
    },
    // No getter: the engine would make a hidden class of every call, which holds its request until the next full collection.
    gone: (): AbortSignal => goneSignal(reply),
    setSession(token: string | null, expiresAt?: number): void {
      reply.header('Set-Cookie', printSessionCookie(token, parts.publicUrl, expiresAt));
    },
    async write<Response>(work: (tx: Tx) => Promise<Response>): Promise<Response> {
      if (key === undefined) return parts.storage.write(work);
      const path = pathOf(request.url);
      const { accountId } = principal;
      const { method } = request;
      const answer = await idempotentWrite(parts, { accountId, method, path, key, body, status: row.status }, work);
      reply.code(answer.status);
      if (answer.replayed) reply.header('Idempotent-Replayed', 'true');
      return answer.response;
    },
  };
}

export const pathOf = (url: string): string => url.split('?', 1)[0] as string;
