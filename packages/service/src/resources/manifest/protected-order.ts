import { orderContext } from '@hortus/template/sealing/contexts';
import { type Sealed, sealFields } from '@hortus/template/sealing/sealed-fields';
import { iso } from '../../time.ts';
import type { ManifestSigner } from './signer.ts';

/** The daemon that an order is for. */
export interface Addressee {
  readonly serverId: string;
  /** The pinned key; null where the daemon has none, which then gets values in the clear. */
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
 * How long an order counts. Longer than clocks differ, and shorter than the seven days for which daemons remember executions,
 * so that none can be replayed after it was forgotten.
 */
const ORDER_VALID_MS = 24 * 3_600_000;

/** Signs what a daemon does only for its service, and seals the texts that the pointers in `secrets` lead to. */
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
