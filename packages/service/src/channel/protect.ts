import type { Sealed } from '@hortus/template/sealing/sealed-fields';

/** Binds an order to one connection: its nonce, and a number that grows with every order on it. */
export interface OrderBinding {
  readonly connection_nonce: string;
  readonly order_number: number;
}

/** The daemon that an order is for. */
interface Addressee {
  readonly serverId: string;
  /** Pinned key; null if the daemon has none and gets values in plain text. */
  readonly sealingKey: string | null;
  /** Binds the next order; undefined if the daemon did not ask for it. Send orders in the order of their numbers. */
  nextBinding(): OrderBinding | undefined;
}

interface Proof extends Partial<OrderBinding> {
  readonly server_id: string;
  readonly issued_at: string;
  readonly expires_at: string;
  readonly signature: string;
}

/** Signs an order to a daemon and seals the texts at the JSON pointers in `secrets`. */
export type Protect = <Order extends { readonly type: string }>(
  order: Order,
  to: Addressee,
  secrets?: readonly string[],
) => Sealed<Order & Proof>;
