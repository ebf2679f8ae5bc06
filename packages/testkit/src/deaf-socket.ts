import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A unix socket in front of another one, which can stop listening while it still accepts. */
export interface DeafSocket extends AsyncDisposable {
  readonly socketPath: string;
  /** Requests whose first line this says of, and all that follows them on their connections, are never answered. */
  deafTo(isIgnored: (requestLine: string) => boolean): void;
  /** Listens again. Connections on which something was ignored are ended. */
  listen(): void;
}

/**
 * No real engine hangs on request, so this stands in front of a real one and does. It takes every piece that arrives for the
 * beginning of a request, which holds for those who send a request at once and wait for its answer.
 */
export async function deafSocket(socketPath: string, behind: string): Promise<DeafSocket> {
  let isIgnored: (requestLine: string) => boolean = () => false;
  const deaf = new Set<Socket>();
  const all = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(behind);
    for (const socket of [near, far]) {
      all.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => all.delete(socket));
    }
    near.on('data', (data) => {
      if (isIgnored(data.toString('latin1', 0, 500).split('\r\n')[0] ?? '')) deaf.add(near);
      if (!deaf.has(near)) far.write(data);
    });
    far.on('data', (data) => near.write(data));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  server.listen(socketPath);
  await once(server, 'listening');
  return {
    socketPath,
    deafTo(ignored) {
      isIgnored = ignored;
    },
    listen() {
      isIgnored = () => false;
      for (const socket of deaf) socket.destroy();
      deaf.clear();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of all) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
