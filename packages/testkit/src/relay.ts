import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';

/** A Unix socket, or a port with its address. */
export type RelayEnd = { readonly path: string } | { readonly host: string; readonly port: number };

/** Accepts connections at one end and forwards them to the other. */
export async function relay(from: RelayEnd, to: RelayEnd): Promise<AsyncDisposable> {
  if ('path' in from) rmSync(from.path, { force: true });
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    client.on('close', () => open.delete(client));
    const target = connect(to);
    join(client, target);
    join(target, client);
  }).listen(from);
  await once(server, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      for (const client of open) client.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An end or failure of one side is the end of the other. */
function join(socket: Socket, other: Socket): void {
  socket.pipe(other);
  socket.on('error', () => other.destroy());
  socket.on('close', () => other.destroy());
}
