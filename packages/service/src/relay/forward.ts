import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Guard } from '../process/guard.ts';

/** Set by a replica that forwards a request, so that it is not forwarded again. */
export const FORWARDED = 'x-hortus-forwarded';

const CONNECT_WITHIN_MS = 5_000;

/**
 * Forwards an upgrade, with its socket, to the replica of the other end. Resolves with false if that replica cannot be reached or refuses;
 * nothing has been answered then.
 */
export function forward(
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { place, guard }: { readonly place: string; readonly guard: Guard },
): Promise<boolean> {
  // Joined as text: resolved as a URL, a path such as //elsewhere would name another host.
  const target = new URL(`${new URL(place).origin}${incoming.url ?? '/'}`);
  const ask = target.protocol === 'https:' ? secureRequest : request;
  return new Promise((done) => {
    const passed = ask(target, {
      method: 'GET',
      headers: { ...incoming.headers, [FORWARDED]: '1' },
      agent: false,
      timeout: CONNECT_WITHIN_MS,
    });
    passed.on(
      'timeout',
      guard(() => passed.destroy()),
    );
    passed.on(
      'error',
      guard(() => done(false)),
    );
    const connected = (response: IncomingMessage, far: Socket, farHead: Buffer) => {
      far.setTimeout(0);
      const lines = response.rawHeaders.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`));
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
      socket.write(farHead);
      far.write(head);
      for (const [item, other] of [
        [socket, far],
        [far, socket],
      ] as const) {
        item.pipe(other);
        const guardedEnd = guard(() => other.destroy());
        item.on('error', guardedEnd);
        item.on('close', guardedEnd);
      }
      done(true);
    };
    passed.on(
      'upgrade',
      guard(connected, (_response, far) => far.destroy()),
    );
    const refused = (response: IncomingMessage) => {
      response.resume();
      done(false);
    };
    passed.on('response', guard(refused));
    passed.end();
  });
}
