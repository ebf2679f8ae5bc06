import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A unix socket proxy that can accept requests without responding. */
export interface DeafSocket extends AsyncDisposable {
  readonly socketPath: string;
  /** Stops responding to requests whose first line matches, and to everything after them on their connections. */
  deafTo(isIgnored: (requestLine: string) => boolean): void;
  /** Responds again; closes connections with ignored requests. */
  listen(): void;
}

/**
 * Simulates a hanging engine in front of a real one. Treats every piece of data as the start of a request, which holds
 * for clients that send a request in one piece and wait for the response.
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
