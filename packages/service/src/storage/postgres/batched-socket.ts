import { ServerSocket } from './server-socket.ts';

/**
 * Sends what is written within one turn of the event loop in one system call, which is most of a small statement's cost.
 * Without effect over TLS: the TLS socket that `pg` puts around this one writes to the handle.
 */
export class BatchedSocket extends ServerSocket {
  #collecting = false;

  override write(...args: unknown[]): boolean {
    if (!this.#collecting) {
      this.#collecting = true;
      this.cork();
      process.nextTick(() => {
        this.#collecting = false;
        this.uncork();
      });
    }
    return super.write(...(args as Parameters<ServerSocket['write']>));
  }
}
