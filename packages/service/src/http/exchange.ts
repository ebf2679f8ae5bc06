import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ParsedUrlQuery, parse } from 'node:querystring';
import { pipeline, type Readable } from 'node:stream';
import type { Guard } from '../guard.ts';
import type { Principal } from '../identity/principal.ts';
import type { BodySize } from './body.ts';
import { JSON_TYPE } from './errors.ts';
import type { Access } from './gate.ts';
import { requestId } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';
import type { Target } from './target.ts';

/** What answers at a path. */
export interface Route {
  /** What a request counts as in the metrics: the name of its row of the contract, or the path of a page. */
  readonly name: string;
  readonly access: Access;
  /** Missing where only GET is answered. */
  readonly body?: BodySize;
  readonly answer: (exchange: Exchange) => void | Promise<void>;
}

export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Who carries exchanges out. */
export interface Carrier {
  readonly guard: Guard;
  /** Whether this process takes no further requests: then the client is told to open no other one on its connection. */
  readonly closing: boolean;
  /** Told once everything has been handed to the socket, or the caller is gone. */
  answered(exchange: Exchange): void;
}

const LINGER_MS = 2_000;

export type Headers = Readonly<Record<string, string | number>>;

/** One request and its answer. The headers are collected and written in one go, which is the cheapest way that Node has. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Target;
  /** Of the caller, as far as trusted proxies tell. */
  readonly address: string;
  readonly id: string;
  readonly begunAt = performance.now();
  /** Undefined where nothing is. */
  readonly route: Route | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** Undefined where nobody had to say who they are. */
  principal: Principal | undefined;
  body: unknown;
  /** Recognises a large body in a repeated request. */
  bodyDigest: string | undefined;
  status = 200;
  /** Answered while its body still comes, of which nothing more is wanted: the connection is closed after the answer. */
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
    this.#headers = { ...securityHeaders, 'X-Request-Id': this.id, 'Cache-Control': 'no-store' };
  }

  /** For listeners on its streams. */
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

  /** The name under which the caller asks. */
  get host(): string | undefined {
    return this.target.authority ?? this.headers.host;
  }

  /** The other end of the connection, be it the caller or a proxy. */
  get peer(): string | undefined {
    return this.connection.remoteAddress;
  }

  /** Headers of the answer; a later one takes the place of an earlier one. */
  with(headers: Headers): this {
    Object.assign(this.#headers, headers);
    return this;
  }

  without(header: string): this {
    delete this.#headers[header];
    return this;
  }

  /** A connection that is closed while its caller still sends is reset, and the answer lost with it: so it is read on a while. */
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

  json(value: unknown): void {
    this.#headers['Content-Type'] = JSON_TYPE;
    this.send(JSON.stringify(value));
  }

  send(body: string | Buffer | Readable = ''): void {
    if (this.#carrier.closing || this.isLast) this.#headers.Connection = 'close';
    if (typeof body === 'string' || Buffer.isBuffer(body)) {
      if (this.status !== 304) this.#headers['Content-Length'] = Buffer.byteLength(body);
      this.response.writeHead(this.status, this.#headers);
      if (this.isLast) this.#endLater(body);
      else this.response.end(body);
      this.#carrier.answered(this);
      return;
    }
    this.response.writeHead(this.status, this.#headers);
    if (this.method === 'HEAD') {
      body.destroy();
      this.response.end();
      this.#carrier.answered(this);
    } else pipeline(body, this.response, () => this.#carrier.answered(this));
  }
}
