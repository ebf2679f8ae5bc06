import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const GRACE_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** Ends a server without cutting off anybody who is being served, and without waiting for ever for one who will not end. */
export class Shutdown {
  readonly #server: Server;
  readonly #graceMs: number;
  readonly #sockets = new Set<Socket>();
  #begun = false;

  constructor(server: Server, graceMs = GRACE_MS) {
    this.#server = server;
    this.#graceMs = graceMs;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** From here on every answer tells its client to open no further request on the same connection. */
  get begun(): boolean {
    return this.#begun;
  }

  async run(): Promise<void> {
    this.#begun = true;
    if (!this.#server.listening) return;
    const closed = new Promise<void>((done) => this.#server.close(() => done()));
    // A connection that was busy when the server closed, and whose client keeps it, is idle some time later.
    const idle = setInterval(() => this.#server.closeIdleConnections(), LOOK_EVERY_MS);
    const end = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, this.#graceMs);
    await closed;
    clearInterval(idle);
    clearTimeout(end);
  }
}
