import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './until.ts';

type ReceivedRequest = {
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Raw bytes, for signatures. */
  readonly rawBody: Buffer;
  /** Body as text. */
  readonly body: string;
  readonly json: unknown;
  readonly receivedAt: number;
};

export type CannedResponse =
  | {
      status?: number;
      headers?: Record<string, string>;
      body?: string | Uint8Array;
      delay?: number;
      /** Sends the body but never ends it. */
      endless?: true;
    }
  /** Never answers; the connection stays open until the sender or `stop()` ends it. */
  | { hang: true }
  /** Closes the connection without a response. */
  | { close: true };

export type Receiver = AsyncDisposable & {
  readonly url: string;
  /** In order of arrival; recorded when the body is complete, before the answer. */
  readonly requests: readonly ReceivedRequest[];
  /** Sets the default answer; initially `{ status: 200 }`. */
  respond(response: CannedResponse | ((request: ReceivedRequest) => CannedResponse)): void;
  /** Queues answers for the next requests, before the default one. */
  respondNext(...responses: CannedResponse[]): void;
  /** Waits for the first request, past or future, that matches. */
  waitFor(
    predicate: (request: ReceivedRequest) => boolean,
    options?: { within?: number; describe?: string },
  ): Promise<ReceivedRequest>;
  stop(): Promise<void>;
};

/** Starts an HTTP server on 127.0.0.1 that records requests, as the receiver of webhooks. */
export async function startReceiver(): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const next: CannedResponse[] = [];
  let defaultResponse: (request: ReceivedRequest) => CannedResponse = () => ({ status: 200 });

  const server = createServer((incoming, response) => {
    // A sender that aborts is part of the test, not a failure of the receiver.
    receive(incoming, response).catch(() => response.destroy());
  });
  const receive = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await read(incoming);
    requests.push(request);
    await reply(response, next.shift() ?? defaultResponse(request));
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));

  const stop = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    respond(response) {
      defaultResponse = typeof response === 'function' ? response : () => response;
    },
    respondNext(...responses) {
      next.push(...responses);
    },
    waitFor: (predicate, { within, describe = 'a webhook request' } = {}) =>
      until(() => requests.find(predicate), {
        ...(within === undefined ? {} : { within }),
        describe: () => `${describe}; received: ${requests.map((r) => `${r.method} ${r.path} ${r.body}`).join(', ')}`,
      }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function read(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const rawBody = Buffer.concat(chunks);
  const body = rawBody.toString('utf8');
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    rawBody,
    body,
    json: parse(body),
    receivedAt: Date.now(),
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

async function reply(response: ServerResponse, result: CannedResponse): Promise<void> {
  if ('hang' in result) return;
  if ('close' in result) {
    response.destroy();
    return;
  }
  if (result.delay !== undefined) await sleep(result.delay, undefined, { ref: false });
  response.writeHead(result.status ?? 200, result.headers);
  if (result.endless) response.write(result.body ?? ' ');
  else response.end(result.body ?? '');
}
