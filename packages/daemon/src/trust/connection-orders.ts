import { randomBytes } from 'node:crypto';

/** What binds an order to a connection. */
export interface OrderBinding {
  connection_nonce?: string;
  order_number?: number;
}

/**
 * Takes each order of one connection once. The service repeats the nonce of the connection in its orders and numbers them, so that an
 * order that was recorded on an earlier connection, or on this one, is recognised without a clock and without a memory that grows.
 */
export class ConnectionOrders {
  readonly nonce = randomBytes(24).toString('base64url');
  #last = 0;

  /** Takes an order whose signature was verified. Returns why it is refused. */
  take({ connection_nonce, order_number }: OrderBinding): string | undefined {
    if (connection_nonce === undefined) return 'it names no connection; an older service must be updated';
    if (connection_nonce !== this.nonce) return 'it was issued for another connection of this daemon';
    if (order_number === undefined || !(order_number > this.#last)) return 'it was received before on this connection';
    this.#last = order_number;
    return undefined;
  }
}
