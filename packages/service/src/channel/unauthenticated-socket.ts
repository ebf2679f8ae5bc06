import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Guard } from '../process/guard.ts';
import type { Connection } from './connection.ts';

/** More than any `auth` message needs. */
const MAX_BYTES = 16 * 1024;

/** Limits the time and the bytes of a connection until its key is verified. */
export function watchUnauthenticatedSocket(
  connection: Connection,
  socket: WebSocket,
  stream: Duplex,
  { guard, authWithinMs }: { readonly guard: Guard; readonly authWithinMs: number },
): void {
  const late = () => connection.refuse('the first message must be auth, and was not received in time');
  const timeout = setTimeout(guard(late), authWithinMs);
  const guardedFirstMessage = guard(() => {
    clearTimeout(timeout);
    socket.off('message', guardedFirstMessage);
    socket.off('close', guardedFirstMessage);
  });
  const guardedLimit = guard(() => connection.tooManyBytes());
  let bytes = 0;
  const guardedCount = guard((chunk: Buffer) => {
    if (connection.phase === 'open') {
      stream.off('data', guardedCount);
      return;
    }
    bytes += chunk.length;
    if (bytes <= MAX_BYTES) return;
    socket.pause();
    // The excess may follow a complete `auth`, which the socket emits before this check.
    setImmediate(guardedLimit);
  });
  stream.on('data', guardedCount);
  socket.on('message', guardedFirstMessage);
  socket.on('close', guardedFirstMessage);
}
