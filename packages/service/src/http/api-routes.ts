import type { Endpoint } from '@hortus/contract/endpoint';
import { type EndpointName, endpointRows, type LiveName } from '@hortus/contract/endpoints';
import type { Permission } from '@hortus/contract/permissions';
import type { Principal } from '../identity/principal.ts';
import { Behind } from '../problem.ts';
import { acceptedEncoding, type Encoding } from './accepted-encoding.ts';
import { type CallParts, callOf } from './call.ts';
import { errorResponse, JSON_TYPE } from './errors.ts';
import { EventStream, wantsEvents } from './event-stream.ts';
import type { Exchange } from './exchange.ts';
import type { Follow, Handlers, LiveHandlers } from './handler.ts';
import { CACHE_CONTROL, type HotReads, type HotResponse, VARY } from './hot-reads.ts';
import { jsonInTurns } from './json-in-turns.ts';
import type { OpenStreams } from './open-streams.ts';
import { isFresh, type Prepared, prepare } from './prepared.ts';
import type { Router } from './router.ts';
import { sentBack } from './sent-back.ts';
import { type ServedFile, sendFile } from './served-file.ts';
import { type Checks, checksOf } from './validation/checks.ts';

export const BASE_PATH = '/api/v1';

export type ApiParts = CallParts & {
  readonly hotReads: HotReads;
  readonly openStreams: OpenStreams;
  readonly liveHandlers: LiveHandlers<LiveName>;
};

type AnyHandler = (call: unknown) => Promise<unknown>;

/** Creates a route for every row of the contract. Throws for a row without a handler, which stops the start. */
export function addApiRoutes(router: Router, handlers: Handlers<EndpointName>, parts: ApiParts): void {
  for (const [name, row] of endpointRows) {
    const handler = handlers[name] as unknown as AnyHandler | undefined;
    if (!handler) throw new Error(`The endpoint ${name} (${row.method} ${row.path}) has no handler.`);
    const checks = checksOf(row);
    router.add(row.method, BASE_PATH + row.path, {
      name,
      path: BASE_PATH + row.path,
      access: { permission: row.permission, daemon: row.daemon, counted: name !== 'health.read' },
      body: row,
      handle: handlerOf(parts, name, row, checks, upToDate(handler), sentBack(parts, row, handlers)),
    });
  }
}

/** Retries once after catching up; the failed transaction was rolled back. */
export const upToDate =
  (handler: AnyHandler): AnyHandler =>
  async (call) => {
    try {
      return await handler(call);
    } catch (error) {
      if (!(error instanceof Behind)) throw error;
      await error.catchUp();
      return await handler(call);
    }
  };

type Unchanged = ReturnType<typeof sentBack>;

function handlerOf(
  parts: ApiParts,
  name: EndpointName,
  row: Endpoint,
  checks: Checks,
  handler: AnyHandler,
  unchanged: Unchanged,
) {
  if (row.media !== undefined) return sendText(parts, row, row.media, checks, handler);
  if (row.hot) return serveHot(parts, name, row, checks, handler);
  if (row.stream) return sendStream(parts, row, checks, handler);
  if (row.live) return serveLive(parts, name as LiveName, row, checks, handler);
  return row.file ? serveFile(parts, row, checks, handler) : handle(parts, row, checks, handler, unchanged);
}

const handle =
  (parts: ApiParts, row: Endpoint, checks: Checks, handler: AnyHandler, unchanged?: Unchanged) =>
  async (exchange: Exchange) => {
    exchange.status = row.status;
    if (unchanged) exchange.body = await unchanged(exchange);
    exchange.jsonText(await jsonInTurns(await handler(callOf(parts, row, checks, exchange))));
  };

/** The same for all callers, so that shared caches may store it. */
const TEXT_CACHE_CONTROL = 'public, max-age=86400';

const sendText =
  (parts: ApiParts, row: Endpoint, media: string, checks: Checks, handler: AnyHandler) =>
  async (exchange: Exchange) => {
    const text = await handler(callOf(parts, row, checks, exchange));
    sendPrepared(exchange.with({ 'Cache-Control': TEXT_CACHE_CONTROL }), prepare(String(text), media));
  };

const sendStream =
  (parts: ApiParts, row: Endpoint, checks: Checks, handler: AnyHandler) => async (exchange: Exchange) => {
    if (!wantsEvents(exchange)) return handle(parts, row, checks, handler)(exchange);
    const stream = new EventStream(exchange);
    try {
      stream.emit('done', (await handler(callOf(parts, row, checks, exchange, stream))) as object);
    } catch (error) {
      // Before the first event, an error is answered as an ordinary refusal.
      if (!stream.begun) throw error;
      stream.emit('error', errorResponse(error, exchange.id).body);
    }
    stream.end();
  };

function serveLive(parts: ApiParts, name: LiveName, row: Endpoint, checks: Checks, handler: AnyHandler) {
  const follow = parts.liveHandlers[name] as unknown as ((call: unknown) => Promise<Follow>) | undefined;
  if (!follow) throw new Error(`The stream ${name} has no handler.`);
  const sendJson = handle(parts, row, checks, handler);
  return async (exchange: Exchange) => {
    if (exchange.method !== 'GET' || !wantsEvents(exchange)) return await sendJson(exchange);
    // Whatever is wrong with the request is refused as usual, before the stream begins.
    const produce = await follow(callOf(parts, row, checks, exchange));
    await parts.openStreams.run(exchange, produce);
  };
}

const serveFile = (parts: ApiParts, row: Endpoint, checks: Checks, handler: AnyHandler) => async (exchange: Exchange) =>
  sendFile(exchange, (await handler(callOf(parts, row, checks, exchange))) as ServedFile);

/** Computes the answer and stores it, prepared, for identical requests. */
function serveHot(parts: ApiParts, name: EndpointName, row: Endpoint, checks: Checks, handler: AnyHandler) {
  const known = new Set(Object.keys(row.query.properties));
  const permission = row.permission as Permission;
  return async (exchange: Exchange) => {
    const { version } = parts.hotReads;
    const response = await handler(callOf(parts, row, checks, exchange));
    const prepared = prepare(JSON.stringify(response), JSON_TYPE);
    // Do not store answers for unique parameters: they request a fresh answer and would fill the memory with URLs that
    // are never requested again.
    const isUsual = exchange.target.authority === undefined;
    let stored: HotResponse | undefined;
    if (isUsual && Object.keys(exchange.query).every((parameter) => known.has(parameter))) {
      const principal = exchange.principal as Principal;
      const url = exchange.request.url as string;
      stored = parts.hotReads.keep(
        { url, principal, version },
        { ...prepared, endpoint: name, path: BASE_PATH + row.path, permission },
      );
    }
    const encoding = acceptedEncoding(exchange.headers['accept-encoding']);
    const encoded = stored && encoding && (await parts.hotReads.encode(stored, encoding));
    exchange.with({ 'Cache-Control': CACHE_CONTROL, Vary: VARY });
    if (!encoded || !encoding) return sendPrepared(exchange, prepared);
    const { bytes, etag } = encoded;
    sendPrepared(exchange, { ...prepared, etag, body: Buffer.from(bytes, 'latin1') }, encoding);
  };
}

/** Sends a prepared answer or, with `encoding`, the compressed form of one. */
export function sendPrepared(
  exchange: Exchange,
  { body, type, etag }: Pick<Prepared, 'body' | 'type' | 'etag'>,
  encoding?: Encoding,
): void {
  exchange.with({ ETag: etag, 'Content-Type': type });
  const asked = exchange.headers['if-none-match'];
  const fresh = asked !== undefined && isFresh(asked, etag);
  if (fresh) exchange.status = 304;
  else if (encoding) exchange.with({ 'Content-Encoding': encoding });
  exchange.send(fresh ? undefined : body);
}
