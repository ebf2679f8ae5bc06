import { randomBytes } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { acceptanceOf } from '@hortus/contract/frames';

const WITHIN_MS = 15_000;

export interface Opened {
  readonly socket: Socket;
  /** What came with the answer. */
  readonly head: Buffer;
}

/** Asks for a WebSocket. Rejects with whatever is in the way. */
export function openWebSocket(url: URL, key: string, signal: AbortSignal): Promise<Opened> {
  const ask = url.protocol === 'https:' ? secureRequest : request;
  const nonce = randomBytes(16).toString('base64');
  return new Promise((done, fail) => {
    const asked = ask(url, {
      agent: false,
      headers: {
        Authorization: `Bearer ${key}`,
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': nonce,
      },
    });
    const giveUp = (reason: string) => asked.destroy(new Error(reason));
    const late = setTimeout(giveUp, WITHIN_MS, 'the service did not answer in time');
    const abort = () => giveUp('it was given up');
    signal.addEventListener('abort', abort, { once: true });
    const settle = () => {
      clearTimeout(late);
      signal.removeEventListener('abort', abort);
    };
    asked.on('error', (error) => {
      settle();
      fail(error);
    });
    asked.on('response', ({ statusCode }) => giveUp(`the service answered ${statusCode}`));
    asked.on('upgrade', (answer: IncomingMessage, socket: Socket, head: Buffer) => {
      settle();
      if (answer.headers['sec-websocket-accept'] !== acceptanceOf(nonce)) {
        socket.destroy();
        fail(new Error('what answered is not a WebSocket'));
      } else done({ socket, head });
    });
    asked.end();
    if (signal.aborted) abort();
  });
}
