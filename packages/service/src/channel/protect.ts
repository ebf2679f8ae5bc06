import type { Sealed } from '@hortus/template/sealing/sealed-fields';

/** The daemon that an order is for. */
export interface Addressee {
  readonly serverId: string;
  /** Pinned key; null if the daemon has none and gets values in plain text. */
  readonly sealingKey: string | null;
}

interface Proof {
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
