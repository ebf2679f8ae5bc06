// Forwards connections of a Unix socket to a TCP address of the network that this process was started in.
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';

const [socketPath = '', host = '', port = ''] = process.argv.slice(2);

/** An end or failure of one side is the end of the other. */
function join(one: Socket, other: Socket): void {
  one.pipe(other);
  one.on('error', () => other.destroy());
  one.on('close', () => other.destroy());
}

rmSync(socketPath, { force: true });
const server = createServer((client) => {
  const target = connect(Number(port), host);
  join(client, target);
  join(target, client);
}).listen(socketPath);
await once(server, 'listening');
console.log('open');
