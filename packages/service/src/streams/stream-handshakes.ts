import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { hasPageToken } from '../identity/page-token.ts';
import { invalid, type Problem } from '../problem.ts';
import type { Guard } from '../process/guard.ts';

/** Opens the handshakes of WebSockets that become a `SocketStream`. */
export function streamHandshakes(
  guard: Guard,
  refuse: (socket: Duplex, problem: Problem) => void,
  maxPayload: number,
): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // One segment can contain thousands of messages: each gets an iteration of the event loop of its own.
    allowSynchronousEvents: false,
    maxPayload,
    // The first one that the client offers; an answer without any of them fails in browsers. Never a page token.
    handleProtocols: (offered) => [...offered].find((protocol) => !hasPageToken(protocol)) ?? false,
    // The stream answers pings, within a limit.
    autoPong: false,
  });
  const refuseHandshake = (error: Error, socket: Duplex) =>
    refuse(socket, invalid('headers', `${error.message}: this is not a WebSocket handshake.`));
  sockets.on(
    'wsClientError',
    guard(refuseHandshake, (_, socket) => socket.destroy()),
  );
  return sockets;
}
