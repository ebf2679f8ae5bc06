import { epochHeader } from '@hortus/contract/channel/channel';
import type { Endpoint } from '@hortus/contract/endpoint';
import { secretFieldsOf } from '@hortus/contract/records/secret-fields';
import { actorOf, credentialOf, type Principal } from '../identity/principal.ts';
import { printSessionCookie, readSessionCookie } from '../identity/session-cookie.ts';
import { invalid } from '../problem.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import type { Vault } from '../vault/vault.ts';
import { tagsOf } from './entity-tags.ts';
import { type EventStream, goneSignal } from './event-stream.ts';
import type { Exchange, Headers } from './exchange.ts';
import { idempotentWrite, readIdempotencyKey } from './idempotency/idempotent-write.ts';
import type { SecureTransport } from './secure-transport.ts';
import { repeatableDelete } from './tombstones/repeatable-delete.ts';
import type { Checks } from './validation/checks.ts';

export interface CallParts {
  readonly storage: Storage;
  readonly vault: Vault;
  /** Tells whether the session cookie of a request is the one for TLS. */
  readonly tlsCookie: SecureTransport;
  readonly secureTransport: SecureTransport;
  /** Refuses a write of a member of a cluster that does not lead, or whose epoch is over. */
  readonly fence?: Fence;
}

export type Fence = (
  tx: Tx,
  memberOf: { serverId: string; memberId: string },
  epoch: string | undefined,
) => Promise<void>;

const MAX_USER_AGENT_LENGTH = 256;
const MAX_EVENT_ID_LENGTH = 255;

/** The request of a call: an exchange over HTTP, or a call from inside the service. */
export type CallSource = Pick<Exchange, 'headers' | 'address' | 'peer' | 'method' | 'path' | 'query' | 'params'> & {
  readonly body: unknown;
  readonly bodyDigest: string | undefined;
  readonly principal: Principal | undefined;
  status: number;
  with(headers: Headers): unknown;
};

/** Creates the call of a handler (see `Call` in handler.ts): the checked request, and functions for the answer. */
export function callOf(parts: CallParts, row: Endpoint, checks: Checks, exchange: CallSource, stream?: EventStream) {
  const { headers, address, method, path } = exchange;
  const params = checks.params(exchange.params);
  const query = checks.query(exchange.query);
  const body = checks.body(exchange.body);
  const tlsCookie = parts.tlsCookie(exchange.peer, headers);
  const key = row.idempotent ? readIdempotencyKey(headers['idempotency-key']) : undefined;
  // Undefined only for public rows, whose handlers do not use it.
  const principal = exchange.principal as Principal;
  return {
    principal,
    params,
    query,
    body,
    address,
    secure: parts.secureTransport(exchange.peer, headers),
    tags: tagsOf(exchange),
    userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH),
    lastEventId: lastEventIdOf(headers['last-event-id']),
    sessionToken: readSessionCookie(headers.cookie, tlsCookie),
    emit(event: string, data: object): void {
      stream?.emit(event, data);
    },
    // Replaced in calls from inside. Not a getter: the engine would create a hidden class for every call, which retains its request until the next
    // full collection.
    gone: (): AbortSignal => goneSignal(exchange as Exchange),
    setSession(token: string | null, expiresAt?: number): void {
      exchange.with({ 'Set-Cookie': printSessionCookie(token, tlsCookie, expiresAt) });
    },
    async write<Response>(wanted: (tx: Tx) => Promise<Response>): Promise<Response> {
      const accountId = principal?.accountId;
      const work = fenced(row.withoutLead ? undefined : parts.fence, principal, headers, wanted);
      if (row.method === 'DELETE')
        return repeatableDelete(parts, { accountId, path, readableBy: readerOfTombstone(row, principal) }, work);
      if (key === undefined) return parts.storage.write(work);
      const request = {
        accountId,
        credential: credentialOf(principal),
        method,
        path,
        key,
        body: exchange.bodyDigest ?? JSON.stringify(body ?? null),
        status: row.status,
        secretFields: secretFieldsOf(row.response),
      };
      const response = await idempotentWrite(parts, request, work);
      exchange.status = response.status;
      if (response.replayed) exchange.with({ 'Idempotent-Replayed': 'true' });
      return response.response;
    },
  };
}

/** Checks the leadership of a member in the transaction of its write, so that another one cannot begin to lead in between. */
function fenced<Response>(
  fence: Fence | undefined,
  principal: Principal | undefined,
  headers: CallSource['headers'],
  work: (tx: Tx) => Promise<Response>,
): (tx: Tx) => Promise<Response> {
  if (!fence || principal?.kind !== 'server' || principal.memberId === undefined) return work;
  const { serverId, memberId } = principal;
  const epoch = headers[epochHeader.toLowerCase()]?.toString();
  return async (tx) => {
    await fence(tx, { serverId, memberId }, epoch);
    return work(tx);
  };
}

/** An empty id means none: that is how browsers reset it. */
function lastEventIdOf(header: string | string[] | undefined): string | undefined {
  const id = Array.isArray(header) ? header.join() : header;
  if (id === undefined || id === '') return undefined;
  if (id.length > MAX_EVENT_ID_LENGTH)
    throw invalid('Last-Event-ID', `must have at most ${MAX_EVENT_ID_LENGTH} characters.`);
  return id;
}

/** Returns who may repeat a DELETE; undefined allows the whole account. */
const readerOfTombstone = (row: Endpoint, principal: Principal): string | undefined =>
  row.personal || row.permission === 'session' ? actorOf(principal) : undefined;
