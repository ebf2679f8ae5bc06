import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Forwards TCP connections, and can stop doing so silently, like a network that loses every packet. */
export type SeverableProxy = AsyncDisposable & {
  readonly port: number;
  /** Stops forwarding without closing anything; new connections get no answer. */
  cut(): void;
  /** Forwards again, including what was sent meanwhile. */
  mend(): void;
};

export async function severableProxy(targetPort: number): Promise<SeverableProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const waiting = new Set<Socket>();
  let isCut = false;

  const forward = (from: Socket) => {
    const to = connect(targetPort, '127.0.0.1');
    const pair = [from, to] as const;
    pairs.add(pair);
    for (const [socket, other] of [pair, [to, from] as const]) {
      socket.on('data', (bytes) => other.write(bytes));
      socket.on('end', () => other.end());
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        other.destroy();
        pairs.delete(pair);
      });
    }
  };
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    if (!isCut) return resume(socket);
    waiting.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => waiting.delete(socket));
  });
  const resume = (socket: Socket) => {
    forward(socket);
    socket.resume();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const socket of [...pairs].flat()) socket.pause();
    },
    mend() {
      isCut = false;
      for (const socket of [...pairs].flat()) socket.resume();
      for (const socket of waiting) resume(socket);
      waiting.clear();
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of [...[...pairs].flat(), ...waiting]) socket.destroy();
      await closed;
    },
  };
}
