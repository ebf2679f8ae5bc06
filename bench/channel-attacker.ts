import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * Daemons as a process of their own, because masking and writing hundreds of megabytes would hold the event loop that measures. Prints
 * a line when all connections are authenticated, sends the messages on SIGUSR2, and prints another when the service has closed all.
 */
const [base = '', unit = '[],', each = '1', ...keys] = process.argv.slice(2);
const BYTES = 8_000_000;

const run = unit.repeat((BYTES - 100) / unit.length);
const message = frame(0x81, `{"type":"action_completed","execution_id":"exe_x","result":{"rows":[${run}[]]}}`);

/** A frame whose mask is zero, so that its bytes are those of the text. */
function frame(kind: number, text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.alloc(14);
  head[0] = kind;
  head[1] = 0xff;
  head.writeBigUInt64BE(BigInt(body.length), 2);
  return Buffer.concat([head, body]);
}

async function open(key: string): Promise<Socket> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `GET /api/v1/ws/server HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  );
  let received = '';
  while (!received.includes('101 Switching')) received += String((await once(socket, 'data'))[0]);
  const auth = Buffer.from(JSON.stringify({ type: 'auth', api_key: key, capabilities: ['ack'] }));
  socket.write(Buffer.concat([Buffer.from([0x81, 0xfe, auth.length >> 8, auth.length & 255, 0, 0, 0, 0]), auth]));
  while (!received.includes('"authenticated"')) received += String((await once(socket, 'data'))[0]);
  return socket.resume();
}

const sockets = await Promise.all(keys.map(open));
process.once('SIGUSR2', async () => {
  const closed = sockets.map((socket) => once(socket, 'close'));
  for (const socket of sockets) {
    for (let i = 0; i < Number(each); i++) socket.write(message);
    // Messages of a connection are handled in order, so it is closed after the last of them.
    socket.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
  }
  await Promise.all(closed);
  console.log('closed');
});
console.log('authenticated');
