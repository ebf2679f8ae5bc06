import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ParsedUrlQuery, parse } from 'node:querystring';
import { pipeline, type Readable } from 'node:stream';
import type { Span } from '@hortus/tracing/span';
import type { Principal } from '../identity/principal.ts';
import type { Guard } from '../process/guard.ts';
import type { BodySize } from './body.ts';
import { JSON_TYPE } from './errors.ts';
import type { Access } from './gate.ts';
import { requestId } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';
import type { Target } from './target.ts';

/** What answers at a path. */
export interface Route {
  /** Name in the metrics: that of its row of the contract, or the path of a page. */
  readonly name: string;
  /** Path with the names of its parameters, if it differs from the name. */
  readonly path?: string;
  readonly access: Access;
  /** Absent for routes that only answer GET. */
  readonly body?: BodySize;
  /** Most bytes of a body that is not parsed; the exchange then has it as a buffer. */
  readonly rawBody?: number;
  readonly handle: (exchange: Exchange) => void | Promise<void>;
}

export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Context of an exchange. */
export interface Carrier {
  readonly guard: Guard;
  /** Whether this process is shutting down: clients are then told to close their connection. */
  readonly closing: boolean;
  /** Returns headers that depend on the transport of a request. */
  transportHeaders(peer: string | undefined, headers: IncomingHttpHeaders): Headers;
  /** Called once the answer was handed to the socket, or the caller disconnected. */
  responded(exchange: Exchange): void;
}

const LINGER_MS = 2_000;

export type Headers = Readonly<Record<string, string | number>>;

/** One request and its answer. Headers are collected and written at once, which is the cheapest way in Node. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Target;
  /** Address of the caller, as reported by trusted proxies. */
  readonly address: string;
  readonly id: string;
  readonly begunAt = performance.now();
  /** Undefined if no route matches. */
  readonly route: Route | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** Undefined if the route needs no authentication. */
  principal: Principal | undefined;
  body: unknown;
  /** Recognises a large body in a repeated request. */
  bodyDigest: string | undefined;
  status = 200;
  /** Undefined unless requests are traced. */
  span: Span | undefined;
  /** Set if the answer is sent before the body was read completely: the connection is closed after the answer. */
  isLast = false;
  readonly #carrier: Carrier;
  readonly #headers: Record<string, string | number>;

  constructor(
    carrier: Carrier,
    { request, response, target, address }: Pick<Exchange, 'request' | 'response' | 'target' | 'address'>,
    match: Match | undefined,
  ) {
    this.#carrier = carrier;
    this.request = request;
    this.response = response;
    this.target = target;
    this.address = address;
    this.route = match?.route;
    this.params = match?.params ?? {};
    this.id = requestId(request.headers['x-request-id'] as string | undefined);
    const transport = carrier.transportHeaders(request.socket.remoteAddress, request.headers);
    this.#headers = { ...securityHeaders, ...transport, 'X-Request-Id': this.id, 'Cache-Control': 'no-store' };
  }

  /** Guard for listeners on its streams. */
  get guard(): Guard {
    return this.#carrier.guard;
  }

  get method(): string {
    return this.request.method as string;
  }

  get path(): string {
    return this.target.path;
  }

  get query(): ParsedUrlQuery {
    return this.target.search === '' ? {} : parse(this.target.search);
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  get connection(): Socket {
    return this.request.socket;
  }

  /** The host name of the request. */
  get host(): string | undefined {
    return this.target.authority ?? this.headers.host;
  }

  /** The other end of the connection: the caller or a proxy. */
  get peer(): string | undefined {
    return this.connection.remoteAddress;
  }

  /** Sets headers of the answer; later values replace earlier ones. */
  with(headers: Headers): this {
    Object.assign(this.#headers, headers);
    return this;
  }

  without(header: string): this {
    delete this.#headers[header];
    return this;
  }

  /**
   * Keeps reading for a while before closing: closing a connection while its caller still sends resets it, and the
   * answer is lost.
   */
  #endLater(body: string | Buffer): void {
    const { request, response } = this;
    response.write(body);
    request.resume();
    const guardedEnd = this.guard(() => {
      clearTimeout(late);
      response.end();
    });
    const late = setTimeout(guardedEnd, LINGER_MS);
    request.once('close', guardedEnd);
  }

  /**
   * Sends the headers of an answer that has no end yet and returns the response to write to. It counts as answered now:
   * the time that a stream is open says nothing about how fast requests are answered.
   */
  open(): ServerResponse {
    this.#headers.Connection = 'close';
    this.response.writeHead(this.status, this.#headers);
    this.response.flushHeaders();
    this.#carrier.responded(this);
    return this.response;
  }

  json(value: unknown): void {
    this.jsonText(JSON.stringify(value));
  }

  /** Sends a text that is JSON. */
  jsonText(text: string): void {
    this.#headers['Content-Type'] = JSON_TYPE;
    this.send(text);
  }

  send(body: string | Buffer | Readable = ''): void {
    if (this.#carrier.closing || this.isLast) this.#headers.Connection = 'close';
    if (typeof body === 'string' || Buffer.isBuffer(body)) {
      const length = Buffer.byteLength(body);
      if (this.status !== 304) this.#headers['Content-Length'] = length;
      this.response.writeHead(this.status, this.#headers);
      if (this.isLast) this.#endLater(body);
      // A text of ASCII alone is the same in Latin-1, which needs no conversion.
      else this.response.end(body, body.length === length ? 'latin1' : 'utf8');
      this.#carrier.responded(this);
      return;
    }
    this.response.writeHead(this.status, this.#headers);
    if (this.method === 'HEAD') {
      body.destroy();
      this.response.end();
      this.#carrier.responded(this);
    } else pipeline(body, this.response, () => this.#carrier.responded(this));
  }
}
