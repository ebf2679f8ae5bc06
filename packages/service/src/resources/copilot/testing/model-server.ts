import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  readonly body: any;
}

export type Behaviour = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

/** Starts an HTTP server that speaks OpenAI's chat completions protocol and behaves as the test says. */
export async function startModelServer(behave: Behaviour) {
  const asked: Asked[] = [];
  const state = { behave, closed: 0 };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    asked.push({ path: request.url ?? '', authorization: request.headers.authorization, body: JSON.parse(text) });
    response.on('close', () => {
      if (!response.writableFinished) state.closed++;
    });
    await state.behave(response, request);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    /** Number of requests that the client aborted. */
    get hungUp(): number {
      return state.closed;
    },
    now(other: Behaviour): void {
      state.behave = other;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

export const piece = (content: string): string =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] })}\n\n`;

/** Streams pieces, usage and end marker, split within characters and lines as networks do. */
export const saying =
  (...pieces: string[]): Behaviour =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const usage = { choices: [], usage: { prompt_tokens: 120, completion_tokens: 30 } };
    const bytes = Buffer.from(
      `: hello\n\n${pieces.map(piece).join('')}data: ${JSON.stringify(usage)}\n\ndata: [DONE]\n\n`,
    );
    for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
    response.end();
  };
