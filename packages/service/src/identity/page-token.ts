import { timingSafeEqual } from 'node:crypto';
import { pageTokenHeader, pageTokenProtocol } from '@hortus/contract/protocol/page-token';
import { Problem } from '../problem.ts';
import { hashOf } from './tokens.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const HEADER = pageTokenHeader.toLowerCase();

/** Reads the page token of a request: its header, or the subprotocol of a WebSocket, whose headers pages cannot set. */
export function readPageToken(headers: Headers): string | undefined {
  const token = headers[HEADER];
  if (typeof token === 'string' && token !== '') return token;
  return listOf(headers['sec-websocket-protocol']).find(hasPageToken)?.slice(pageTokenProtocol.length);
}

/** Tells whether a subprotocol holds a page token, which is never the protocol of the connection. */
export const hasPageToken = (protocol: string): boolean => protocol.startsWith(pageTokenProtocol);

/** Compares in constant time. */
export function isPageToken(token: string, hash: string | undefined): boolean {
  if (hash === undefined) return false;
  const [sent, stored] = [Buffer.from(hashOf(token)), Buffer.from(hash)];
  return sent.length === stored.length && timingSafeEqual(sent, stored);
}

/** The same for a missing and a wrong one. */
export const noPageToken = (): Problem =>
  new Problem(
    'UNAUTHORIZED',
    `${pageTokenHeader}: is missing or not that of this session. A session needs it beside its cookie; sign in again.`,
    { field: pageTokenHeader, reason: 'page_token' },
  );

const listOf = (header: string | readonly string[] | undefined): string[] =>
  (typeof header === 'string' ? header : (header?.join() ?? '')).split(',').map((protocol) => protocol.trim());
