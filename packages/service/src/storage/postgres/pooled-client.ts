import pg from 'pg';
import { BatchedSocket } from './batched-socket.ts';
import type { Primary } from './primary.ts';

/** How long a server may take to accept a connection. Not an option of the pool, which would apply it to its queue too. */
const CONNECT_MS = 5_000;

/** A connection of the pool, to the server that is the primary when it is opened. */
export class PooledClient extends pg.Client {
  readonly url: string;
  readonly socket: BatchedSocket;

  constructor(options: pg.ClientConfig, primary: Primary) {
    const { url } = primary;
    const socket = new BatchedSocket();
    super({ ...options, connectionString: url, connectionTimeoutMillis: CONNECT_MS, stream: () => socket });
    this.url = url;
    this.socket = socket;
  }
}
