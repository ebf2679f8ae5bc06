import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Guard } from '../guard.ts';
import type { Connection } from './connection.ts';

/** More than any `auth` message needs. */
const MOST_BYTES = 16 * 1024;

/** Limits the time and the bytes of a connection until its key is verified. */
export function watchStranger(
  connection: Connection,
  socket: WebSocket,
  stream: Duplex,
  { guard, authWithinMs }: { readonly guard: Guard; readonly authWithinMs: number },
): void {
  const late = () => connection.refuse('the first message must be auth, and was not received in time');
  const patience = setTimeout(guard(late), authWithinMs);
  const guardedGreeted = guard(() => {
    clearTimeout(patience);
    socket.off('message', guardedGreeted);
    socket.off('close', guardedGreeted);
  });
  let bytes = 0;
  const guardedWeigh = guard((chunk: Buffer) => {
    if (connection.phase === 'open') {
      stream.off('data', guardedWeigh);
      return;
    }
    bytes += chunk.length;
    if (bytes > MOST_BYTES) connection.saidTooMuch();
  });
  stream.on('data', guardedWeigh);
  socket.on('message', guardedGreeted);
  socket.on('close', guardedGreeted);
}
