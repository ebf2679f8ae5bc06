import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Guard } from '../process/guard.ts';

const GRACE_MS = 10_000;
const POLL_EVERY_MS = 50;

/** Closes a server after requests in flight have finished, or after a grace period. */
export class Shutdown {
  readonly #server: Server;
  readonly #guard: Guard;
  readonly #graceMs: number;
  readonly #sockets = new Set<Socket>();
  #begun = false;

  constructor(server: Server, guard: Guard, graceMs = GRACE_MS) {
    this.#server = server;
    this.#guard = guard;
    this.#graceMs = graceMs;
    const sockets = this.#sockets;
    const guardedDelete = guard(function (this: Socket) {
      sockets.delete(this);
    });
    const opened = (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', guardedDelete);
    };
    server.on('connection', guard(opened));
  }

  /** Whether the shutdown has begun: answers then tell clients to close their connection. */
  get begun(): boolean {
    return this.#begun;
  }

  async run(): Promise<void> {
    this.#begun = true;
    if (!this.#server.listening) return;
    const closed = new Promise<void>((done) => this.#server.close(() => done()));
    // Connections that were busy when the server closed may become idle later.
    const closeIdle = () => this.#server.closeIdleConnections();
    const closeAll = () => {
      for (const socket of this.#sockets) socket.destroy();
    };
    const idle = setInterval(this.#guard(closeIdle), POLL_EVERY_MS);
    const end = setTimeout(this.#guard(closeAll), this.#graceMs);
    await closed;
    clearInterval(idle);
    clearTimeout(end);
  }
}
