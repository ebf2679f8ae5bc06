import { orderContext } from '@hortus/template/sealing/contexts';
import { type Sealed, sealFields } from '@hortus/template/sealing/sealed-fields';
import { iso } from '../../time.ts';
import type { ManifestSigner } from './signer.ts';

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

export type Protect = <Order extends { readonly type: string }>(
  order: Order,
  to: Addressee,
  secrets?: readonly string[],
) => Sealed<Order & Proof>;

/**
 * Validity of an order. Longer than clocks differ, and shorter than the seven days for which daemons remember
 * executions, so that no order can be replayed after it was forgotten.
 */
const ORDER_VALID_MS = 24 * 3_600_000;

/** Signs an order and seals the texts at the JSON pointers in `secrets`. */
export const orderProtection =
  (signer: Pick<ManifestSigner, 'signOrder'>, clock: () => number = Date.now): Protect =>
  (order, { serverId, sealingKey }, secrets = []) => {
    const now = clock();
    const addressed = {
      ...order,
      server_id: serverId,
      issued_at: iso(now),
      expires_at: iso(now + ORDER_VALID_MS),
    };
    const sealed =
      sealingKey === null || secrets.length === 0
        ? addressed
        : sealFields(addressed, secrets, sealingKey, orderContext(addressed));
    return signer.signOrder(sealed);
  };
