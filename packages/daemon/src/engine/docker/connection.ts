import { Agent, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { type Duplex, pipeline, type Readable } from 'node:stream';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import { EngineProblem, type EngineProblemKind } from '../engine-problem.ts';

export interface Call {
  /** Operation, as it reads after "could not". */
  operation: string;
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  query?: Readonly<Record<string, string | undefined>>;
  body?: unknown;
  /** Alternative to `body`: streamed with backpressure. */
  content?: Readable;
  headers?: Readonly<Record<string, string>>;
  /** Milliseconds for the whole response; for a stream, until it starts and between two pieces. */
  timeout: number;
  signal?: AbortSignal | undefined;
}

export interface EngineResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** HTTP over the engine's unix socket: pooled connections for short calls, separate ones for streams. */
export class Connection {
  readonly #socketPath: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32, maxFreeSockets: 8 });

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** Returns the whole response. Throws for error statuses except `expected` ones. */
  async call(call: Call, expected: readonly number[] = []): Promise<EngineResponse> {
    try {
      return await this.#callOnce(call, expected);
    } catch (error) {
      // A restarted engine has closed pooled connections; reads can be retried safely.
      if (call.method !== 'GET' || !(error instanceof StaleConnection)) throw unwrapped(error);
      return await this.#callOnce(call, expected).catch((again) => {
        throw unwrapped(again);
      });
    }
  }

  async json<T>(call: Call): Promise<T> {
    const { body, status } = await this.call(call);
    try {
      return JSON.parse(body.toString('utf8')) as T;
    } catch (cause) {
      throw new EngineProblem({ ...about(call), kind: 'failed', status, detail: 'the response is not JSON', cause });
    }
  }

  /** Streams the response body. `mayBeSilent` disables the limit between pieces. */
  stream(call: Call, options: { mayBeSilent?: boolean } = {}): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = this.#send(call, false, reject, (response) => {
        if (isRefusal(response.statusCode ?? 0)) {
          collect(response, (body) => reject(refusal(call, response.statusCode ?? 0, body)), reject);
          return;
        }
        if (options.mayBeSilent) outgoing.setTimeout(0);
        resolve(response);
      });
    });
  }

  /** Upgrades to a bidirectional connection, which may be silent for long. */
  talk(call: Call): Promise<Duplex> {
    const headers = { connection: 'Upgrade', upgrade: 'tcp', ...call.headers };
    return new Promise((resolve, reject) => {
      const outgoing = this.#send({ ...call, headers }, false, reject, (response) =>
        collect(response, (body) => reject(refusal(call, response.statusCode ?? 0, body)), reject),
      );
      const agreed = (_: IncomingMessage, socket: Duplex, head: Buffer) => {
        outgoing.setTimeout(0);
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      };
      outgoing.on('upgrade', guardedBy(reject, agreed));
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #callOnce(call: Call, expected: readonly number[]): Promise<EngineResponse> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        clearTimeout(limit);
        reject(error);
      };
      const outgoing = this.#send(call, true, fail, (response) => {
        collect(
          response,
          (body) => {
            clearTimeout(limit);
            const status = response.statusCode ?? 0;
            if (isRefusal(status) && !expected.includes(status)) reject(refusal(call, status, body));
            else resolve({ status, headers: response.headers, body });
          },
          (error) => fail(failure(call, error, outgoing)),
        );
      });
      // A total limit, not only one of silence: a dripping response must not block the caller. Started after the
      // request, which throws for an invalid path.
      const limit = setTimeout(() => outgoing.destroy(late(call)), call.timeout);
    });
  }

  #send(
    call: Call,
    keep: boolean,
    fail: (error: unknown) => void,
    on: (response: IncomingMessage) => void,
  ): ClientRequest {
    const payload = Buffer.isBuffer(call.body)
      ? call.body
      : call.body === undefined
        ? undefined
        : Buffer.from(JSON.stringify(call.body));
    const type = Buffer.isBuffer(call.body) || call.content ? 'application/x-tar' : 'application/json';
    const length = call.content ? {} : { 'content-length': String(payload?.length ?? 0) };
    const outgoing = request({
      socketPath: this.#socketPath,
      method: call.method,
      path: call.path + queryString(call.query),
      agent: keep ? this.#agent : false,
      timeout: call.timeout,
      // Go's HTTP server requires a Host header.
      headers: {
        host: 'engine',
        ...(payload === undefined && call.content === undefined ? {} : { 'content-type': type }),
        ...length,
        ...call.headers,
      },
    });
    const abort = () => outgoing.destroy(aborted(call));
    if (call.signal?.aborted) abort();
    call.signal?.addEventListener('abort', abort, { once: true });
    const closed = () => call.signal?.removeEventListener('abort', abort);
    const failed = (error: Error) => fail(failure(call, error, outgoing));
    outgoing.on('close', guardedBy(fail, closed));
    outgoing.on('timeout', () => outgoing.destroy(late(call)));
    outgoing.on('error', guardedBy(fail, failed));
    outgoing.on('response', guardedBy(fail, on));
    // An error on either side ends the request, which then reports it.
    if (call.content) pipeline(call.content, outgoing, () => undefined);
    else outgoing.end(payload);
    return outgoing;
  }
}

/** A pooled connection turned out to be dead. */
class StaleConnection extends Error {
  readonly problem: EngineProblem;
  constructor(problem: EngineProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

function unwrapped(error: unknown): unknown {
  return error instanceof StaleConnection ? error.problem : error;
}

function collect(response: IncomingMessage, done: (body: Buffer) => void, fail: (error: Error) => void): void {
  const chunks: Buffer[] = [];
  const add = (chunk: Buffer) => chunks.push(chunk);
  const end = () => done(Buffer.concat(chunks));
  response.on('data', guardedBy(fail, add));
  response.on('end', guardedBy(fail, end));
  response.on('error', fail);
}

function queryString(query: Call['query']): string {
  const input = Object.entries(query ?? {}).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return input.length === 0 ? '' : `?${new URLSearchParams(input)}`;
}

function about(call: Call): { operation: string } {
  return { operation: call.operation };
}

function late(call: Call): EngineProblem {
  const detail = `the engine did not respond within ${call.timeout} ms`;
  return new EngineProblem({ ...about(call), kind: 'timeout', detail });
}

function aborted(call: Call): EngineProblem {
  return new EngineProblem({
    ...about(call),
    kind: 'aborted',
    detail: 'the operation was aborted',
    cause: call.signal?.reason,
  });
}

function failure(call: Call, error: Error, outgoing: ClientRequest): Error {
  if (error instanceof EngineProblem) return error;
  const code = (error as NodeJS.ErrnoException).code;
  const problem = new EngineProblem({
    ...about(call),
    kind: 'unreachable',
    detail: `the engine cannot be reached (${code ?? error.message})`,
    cause: error,
  });
  return outgoing.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE') ? new StaleConnection(problem) : problem;
}

/** Statuses that are errors. 304 means that nothing had to change. */
function isRefusal(status: number): boolean {
  return status >= 300 && status !== 304;
}

const kinds: Record<number, EngineProblemKind> = {
  400: 'invalid',
  404: 'not_found',
  409: 'conflict',
  501: 'unsupported',
};

function refusal(call: Call, status: number, body: Buffer): EngineProblem {
  return new EngineProblem({ ...about(call), kind: kinds[status] ?? 'failed', status, detail: message(status, body) });
}

function message(status: number, body: Buffer): string {
  const text = body.toString('utf8').trim();
  try {
    const said: unknown = JSON.parse(text).message;
    if (typeof said === 'string' && said !== '') return said;
  } catch {
    // Not JSON, for example from a proxy in front of the engine; show the text.
  }
  return text.slice(0, 500) || `the engine returned status ${status}`;
}
