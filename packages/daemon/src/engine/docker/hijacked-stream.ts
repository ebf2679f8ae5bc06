import { on } from 'node:events';
import type { Duplex } from 'node:stream';

/**
 * Keeps the output of a command that exits without reading all of its input. The engine then closes the connection: a
 * failed write would destroy the socket, and with it output that has arrived but was not read yet.
 */
export function ignoreUnreadInput(socket: Duplex): void {
  const write = socket._write.bind(socket);
  socket._write = (chunk, encoding, done) => write(chunk, encoding, () => done());
  const writeAll = socket._writev?.bind(socket);
  if (writeAll) socket._writev = (chunks, done) => writeAll(chunks, () => done());
}

/** Waiting pieces of output; then the socket is paused. */
const MAX_WAITING = 2;

/** Yields what arrives until the end. A reset is one, too: the engine resets a connection with unread input. */
export async function* received(socket: Duplex): AsyncGenerator<Buffer> {
  if (socket.destroyed) return;
  const pieces = on(socket, 'data', { close: ['end', 'close'], highWaterMark: MAX_WAITING, lowWaterMark: 1 });
  try {
    for await (const [piece] of pieces) yield piece;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
  }
}
