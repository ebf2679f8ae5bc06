import { type RawData, WebSocket } from 'ws';
import type { Guard } from '../process/guard.ts';
import type { Connection } from './connection.ts';

/** Code that `ws` reports if the peer never answered the closing handshake. */
const NO_RESPONSE = 1006;

/** Refers to its connection, so that all sockets can share their listeners. */
export class ChannelSocket extends WebSocket {
  connection: Connection | undefined;
}

/**
 * Creates listeners that all sockets share. A connection whose listener fails is closed, because a lost message
 * breaks the order of later ones.
 */
export function sharedListeners(
  guard: Guard,
  receive: (connection: Connection, data: Buffer, isBinary: boolean) => void,
) {
  const end = (socket: WebSocket) => socket.terminate();
  const guarded = <Args extends unknown[]>(listener: (connection: Connection, ...args: Args) => void) => {
    const safe = guard((socket: ChannelSocket, args: Args) => {
      listener(socket.connection as Connection, ...args);
    }, end);
    return function (this: WebSocket, ...args: Args) {
      safe(this as ChannelSocket, args);
    };
  };
  return {
    message: guarded((connection, data: RawData, isBinary: boolean) => {
      receive(connection, data as Buffer, isBinary);
    }),
    ping: guarded((connection, payload: Buffer) => {
      if (!connection.pong(payload)) connection.terminate();
    }),
    close: guarded((connection, code: number) => {
      connection.responded = code !== NO_RESPONSE;
      connection.receive('closed');
    }),
    error: guarded(() => undefined),
  };
}
