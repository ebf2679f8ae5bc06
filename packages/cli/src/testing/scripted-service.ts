import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as jsonOf } from 'node:stream/consumers';
import type { Endpoint, ResponseOf } from '@hortus/contract/endpoint';
import { type EndpointName, type Endpoints, endpointRows } from '@hortus/contract/endpoints';
import { type ErrorCode, errorTable } from '@hortus/contract/errors';
import Value from 'typebox/value';

interface Asked {
  readonly name: EndpointName;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly key: string | undefined;
}

/** Thrown by an answer, becomes the error response of the service. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  constructor(code: ErrorCode, message: string, details?: Readonly<Record<string, unknown>>) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export type ScriptedService = AsyncDisposable & {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Sets the answer of an endpoint. */
  on<Name extends EndpointName>(name: Name, reply: (asked: Asked) => ResponseOf<Endpoints[Name]>): void;
  /** Sets a single-page list as answer. */
  list<Name extends EndpointName>(name: Name, items: readonly unknown[]): void;
  /** Fails if a request or response violated the contract, so that scripts cannot drift from the service. */
  stop(): Promise<void>;
};

const placeholders = (path: string): number => path.split('{').length;
/** Puts literal paths first, like a router. */
const routes = [...endpointRows]
  .sort(([, a], [, b]) => placeholders(a.path) - placeholders(b.path))
  .map(([name, row]) => ({
    name,
    row,
    pattern: new RegExp(`^/api/v1${row.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  }));

/** Starts an HTTP server with scripted answers; validates requests and responses against the contract. */
export async function startScriptedService(): Promise<ScriptedService> {
  const replies = new Map<EndpointName, (asked: Asked) => unknown>();
  const asked: Asked[] = [];
  const drift: string[] = [];

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://scripted');
    const route = routes.find(({ row, pattern }) => row.method === request.method && pattern.test(url.pathname));
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const refuse = (code: ErrorCode, message: string, details?: Refusal['details']) =>
      send(errorTable[code].status, { success: false, error: { code, message, ...(details && { details }) } });
    if (route === undefined) {
      drift.push(`${request.method} ${url.pathname} is not in the contract`);
      return refuse('NOT_FOUND', 'There is no such path.');
    }
    const { name, row } = route;
    const call: Asked = {
      name,
      params: { ...route.pattern.exec(url.pathname)?.groups },
      query: Object.fromEntries(url.searchParams),
      body: request.headers['content-type'] === undefined ? undefined : await jsonOf(request),
      key: request.headers.authorization?.replace('Bearer ', ''),
    };
    asked.push(call);
    check(drift, `the body of ${name}`, row.body, call.body);
    const reply = replies.get(name);
    if (reply === undefined) return refuse('NOT_FOUND', `${name} has nothing to say.`);
    try {
      const body = reply(call);
      check(drift, `the answer of ${name}`, row.response, body);
      send(row.status, body);
    } catch (error) {
      if (error instanceof Refusal) refuse(error.code, error.message, error.details);
      else response.destroy();
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));

  const stop = async () => {
    server.closeAllConnections();
    await new Promise<unknown>((done) => server.close(done));
    if (drift.length > 0) throw new Error(`The script and the contract disagree:\n${drift.join('\n')}`);
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    asked,
    on: (name, reply) => void replies.set(name, reply),
    list: (name, items) =>
      void replies.set(name, () => ({
        success: true,
        data: items,
        pagination: { page: 1, per_page: 100, total: items.length, total_pages: 1 },
      })),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function check(drift: string[], what: string, schema: Endpoint['response'], value: unknown): void {
  if (Value.Check(schema, value)) return;
  const [first] = Value.Errors(schema, value);
  drift.push(`${what}: ${first?.instancePath} ${first?.message}`);
}
