import pg from 'pg';
import { BatchedSocket } from './batched-socket.ts';
import type { Primary } from './primary.ts';

/** A connection of the pool, to the server that is the primary when it is opened. */
export class PooledClient extends pg.Client {
  readonly url: string;
  readonly socket: BatchedSocket;

  constructor(options: pg.ClientConfig, primary: Primary) {
    const { url } = primary;
    const socket = new BatchedSocket();
    super({ ...options, connectionString: url, stream: () => socket });
    this.url = url;
    this.socket = socket;
  }
}
