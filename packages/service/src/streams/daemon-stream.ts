import { STREAM_PING_MS } from '@hortus/contract/channel/streams';
import type { WebSocket } from 'ws';
import type { Guard } from '../process/guard.ts';
import { SocketStream } from './socket-stream.ts';

export const KEY_REVOKED = 'this key is no longer valid';

export interface DaemonStreamOptions {
  readonly guard: Guard;
  /** Hash of the server key with which the daemon connected. */
  readonly keyHash: string;
  /** Checked with every ping: the notice of a revoked key may get lost. */
  readonly isKeyValid: () => Promise<boolean>;
  readonly pingEveryMs?: number;
}

/** A connection that a daemon opened because the service asked for it. */
export class DaemonStream extends SocketStream {
  readonly keyHash: string;
  readonly #isKeyValid: () => Promise<boolean>;

  constructor(socket: WebSocket, { guard, keyHash, isKeyValid, pingEveryMs = STREAM_PING_MS }: DaemonStreamOptions) {
    super(socket, guard);
    this.keyHash = keyHash;
    this.#isKeyValid = isKeyValid;
    const check = () => this.#check();
    const checking = setInterval(
      guard(check, () => this.terminate()),
      pingEveryMs,
    );
    const closed = () => clearInterval(checking);
    socket.on('close', guard(closed));
  }

  /** Ends a connection whose daemon is gone, which TCP may not notice for hours, or whose key was revoked. */
  async #check(): Promise<void> {
    if (!(await this.ping())) return this.terminate();
    if (!(await this.#isKeyValid())) this.revoke(KEY_REVOKED);
  }
}
