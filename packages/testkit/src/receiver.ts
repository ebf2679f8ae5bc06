import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './until.ts';

export type ReceivedRequest = {
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

export type Answer =
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
  answer(answer: Answer | ((request: ReceivedRequest) => Answer)): void;
  /** Queues answers for the next requests, before the default one. */
  answerNext(...answers: Answer[]): void;
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
  const next: Answer[] = [];
  let standing: (request: ReceivedRequest) => Answer = () => ({ status: 200 });

  const server = createServer((incoming, response) => {
    // A sender that aborts is part of the test, not a failure of the receiver.
    receive(incoming, response).catch(() => response.destroy());
  });
  const receive = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await read(incoming);
    requests.push(request);
    await reply(response, next.shift() ?? standing(request));
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
    answer(answer) {
      standing = typeof answer === 'function' ? answer : () => answer;
    },
    answerNext(...answers) {
      next.push(...answers);
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

async function reply(response: ServerResponse, answer: Answer): Promise<void> {
  if ('hang' in answer) return;
  if ('close' in answer) {
    response.destroy();
    return;
  }
  if (answer.delay !== undefined) await sleep(answer.delay, undefined, { ref: false });
  response.writeHead(answer.status ?? 200, answer.headers);
  if (answer.endless) response.write(answer.body ?? ' ');
  else response.end(answer.body ?? '');
}
