import { orderContext } from '@hortus/template/sealing/contexts';
import { sealFields } from '@hortus/template/sealing/sealed-fields';
import type { Protect } from '../../channel/protect.ts';
import { iso } from '../../records/time.ts';
import type { ManifestSigner } from './signer.ts';

/**
 * Validity of an order. Longer than clocks differ, and shorter than the seven days for which daemons remember
 * executions, so that no order can be replayed after it was forgotten.
 */
const ORDER_VALID_MS = 24 * 3_600_000;

/** Signs an order, binds it to the connection over which it will be sent, and seals the texts at the JSON pointers in `secrets`. */
export const orderProtection =
  (signer: Pick<ManifestSigner, 'signOrder'>, clock: () => number = Date.now): Protect =>
  (order, to, secrets = []) => {
    const { serverId, sealingKey } = to;
    const now = clock();
    const addressed = {
      ...order,
      server_id: serverId,
      issued_at: iso(now),
      expires_at: iso(now + ORDER_VALID_MS),
      ...to.nextBinding(),
    };
    const sealed =
      sealingKey === null || secrets.length === 0
        ? addressed
        : sealFields(addressed, secrets, sealingKey, orderContext(addressed));
    return signer.signOrder(sealed);
  };
