import { connect } from 'node:net';

export interface ClientSocket {
  send(text: string): void;
}

export interface SocketEvents {
  opened(socket: ClientSocket): void;
  received(socket: ClientSocket, text: string): void;
  /** Called once, also if the connection could not be opened. */
  closed(): void;
}

const TEXT = 0x81;
const CLOSE = 0x88;
const MASKED = 0x80;
const SHORT = 126;

/**
 * A WebSocket client for ten thousand connections on one core: `ws` takes so long to open each that the crowd would be measured
 * instead of the service. Handles whole text frames of up to 64 KiB.
 */
export function openSocket(url: string, localAddress: string, events: SocketEvents): void {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress, noDelay: true });
  const client: ClientSocket = { send: (text) => void socket.write(frameOf(text)) };
  let waiting: Buffer = Buffer.alloc(0);
  let isOpen = false;
  socket.on('connect', () =>
    socket.write(
      `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    ),
  );
  socket.on('data', (chunk: Buffer) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    if (!isOpen) {
      const end = waiting.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!waiting.toString('latin1', 0, 12).endsWith(' 101')) return void socket.destroy();
      isOpen = true;
      waiting = waiting.subarray(end + 4);
      events.opened(client);
    }
    for (let frame = firstFrame(waiting); frame; frame = firstFrame(waiting)) {
      waiting = waiting.subarray(frame.end);
      if (frame.type === CLOSE) socket.end();
      if (frame.type === TEXT) events.received(client, frame.text);
    }
  });
  socket.on('error', () => undefined);
  socket.on('close', () => events.closed());
}

function firstFrame(bytes: Buffer): { readonly type: number; readonly text: string; readonly end: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1);
  const begin = short < SHORT ? 2 : 4;
  if (bytes.length < begin) return undefined;
  const end = begin + (short < SHORT ? short : bytes.readUInt16BE(2));
  if (bytes.length < end) return undefined;
  return { type: bytes.readUInt8(0), text: bytes.toString('utf8', begin, end), end };
}

/** The mask is zero, which leaves the text as it is. */
function frameOf(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const begin = length < SHORT ? 6 : 8;
  const frame = Buffer.alloc(begin + length);
  frame.writeUInt8(TEXT, 0);
  frame.writeUInt8(MASKED | Math.min(length, SHORT), 1);
  if (length >= SHORT) frame.writeUInt16BE(length, 2);
  frame.write(text, begin);
  return frame;
}
