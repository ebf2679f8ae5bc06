import type { EndpointName } from '@hortus/contract/endpoints';
import { pageTokenHeader } from '@hortus/contract/protocol/page-token';
import type { Service } from '@hortus/mcp/service';
import type { Principal } from '../identity/principal.ts';
import { Problem } from '../problem.ts';
import type { Log } from '../process/log.ts';
import { goneSignal } from './event-stream.ts';
import type { Exchange } from './exchange.ts';
import type { Access } from './gate.ts';
import type { InnerParts, Invoke } from './invoke.ts';
import type { Router } from './router.ts';

export interface McpDeps {
  readonly invoke: Invoke;
  /** Signs a text with the key of an account, so that every replica recognises it. */
  readonly hmac: (accountId: string, text: string) => Promise<string>;
  readonly publicUrl: string;
  readonly version: string;
  readonly log: Log;
}

type KeyPrincipal = Extract<Principal, { kind: 'key' }>;

const PATH = '/mcp';
const access: Access = { permission: 'session', counted: true };
/** Small enough to be parsed on the event loop: a call of a tool is a few values. */
const BODY = { bodyLimit: 256 * 1024, bodyValues: 3_000 };
/** Calls of an account at the same time; some wait for the end of a deployment. */
const MAX_AT_ONCE = 32;

/**
 * Serves MCP over HTTP. A started service has loaded the SDK; tests load it with their first request. There are no sessions: a
 * request stands alone, so that any replica can answer it.
 */
export function addMcp(router: Router, deps: McpDeps): void {
  const running = new Map<string, number>();
  const origin = new URL(deps.publicUrl).origin;

  async function handle(exchange: Exchange): Promise<void> {
    const { principal, headers } = exchange;
    if (principal?.kind !== 'key') throw new Problem('FORBIDDEN', 'Use an API key; a session is not accepted here.');
    if (headers.origin !== undefined && headers.origin !== origin)
      throw new Problem('FORBIDDEN', 'Origin: pages of other sites may not call this.');
    // The limit below counts requests, and the protocol has dropped batches.
    if (Array.isArray(exchange.body))
      throw new Problem('VALIDATION_ERROR', 'body: must be one message; batches are not accepted.', { field: 'body' });
    const { accountId } = principal;
    const count = running.get(accountId) ?? 0;
    if (count >= MAX_AT_ONCE)
      throw new Problem(
        'RATE_LIMITED',
        `More than ${MAX_AT_ONCE} calls of tools run at the same time. Wait a second.`,
        {
          limit: MAX_AT_ONCE,
          retry_after: 1,
        },
      );
    running.set(accountId, count + 1);
    try {
      await send(exchange, await respond(exchange, principal, deps));
    } finally {
      const left = (running.get(accountId) ?? 1) - 1;
      if (left === 0) running.delete(accountId);
      else running.set(accountId, left);
    }
  }

  router.add('POST', PATH, { name: PATH, access, body: BODY, handle });
  // Older clients try to open a stream and to end a session; this status tells them that there is neither.
  for (const method of ['GET', 'DELETE']) router.add(method, PATH, { name: PATH, access, handle: notAllowed });
}

function notAllowed(exchange: Exchange): void {
  exchange.status = 405;
  exchange
    .with({ Allow: 'POST' })
    .json({ jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'Method not allowed.' } });
}

async function respond(exchange: Exchange, principal: KeyPrincipal, deps: McpDeps): Promise<Response> {
  const { invoke, hmac, version, publicUrl, log } = deps;
  const { handleRequest } = await import('@hortus/mcp/http');
  const { address } = exchange;
  const signal = goneSignal(exchange);
  const call = (name: EndpointName, parts: InnerParts = {}) => invoke(name, { principal, address, signal }, parts);
  const options = {
    // The calls of the typed client, without its types: it has one for each row.
    service: { call } as unknown as Service,
    version,
    seal: (text: string) => hmac(principal.accountId, `${principal.id} ${text}`),
    onError: (err: unknown) => log.error({ err, request_id: exchange.id }, 'a call of an MCP tool failed'),
  };
  const request = new Request(new URL(PATH, publicUrl), { method: 'POST', headers: plainHeaders(exchange), signal });
  return handleRequest(options, request, exchange.body ?? null);
}

const credentialHeaders = new Set(['authorization', 'cookie', pageTokenHeader.toLowerCase()]);

/** The SDK needs no credential. */
const plainHeaders = ({ headers }: Exchange): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || credentialHeaders.has(name) || name.startsWith(':')
      ? []
      : [[name, Array.isArray(value) ? value.join(', ') : value] as [string, string]],
  );

async function send(exchange: Exchange, response: Response): Promise<void> {
  exchange.status = response.status;
  const type = response.headers.get('content-type');
  if (type !== null) exchange.with({ 'Content-Type': type });
  exchange.send(await response.text());
}
