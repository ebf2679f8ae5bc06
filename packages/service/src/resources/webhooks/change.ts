import type { WebhookUpdate } from '@hortus/contract/resources/webhooks';
import type { Principal } from '../../identity/principal.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import { requireSecretsAgain } from '../../outbound/secrets-again.ts';
import { conflict, notFound } from '../../problem.ts';
import type { Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { DELIVER } from './delivery-job.ts';
import { sealSecret } from './secret.ts';
import { audit } from './service.ts';
import {
  type DeliveryRow,
  deliveryOf,
  type EndpointChange,
  type EndpointRow,
  eventIsThere,
  lockEndpoint,
  resendDelivery,
  updateEndpoint,
} from './store.ts';

const KEPT_SECONDS = 86_400;

export async function change(
  tx: Tx,
  vault: Pick<Vault, 'encrypt'>,
  principal: Principal,
  id: string,
  { url, events, secret, keep_old_secret_for = KEPT_SECONDS, status }: WebhookUpdate,
): Promise<EndpointRow> {
  const row = await lockEndpoint(tx, principal.accountId, id);
  if (!row) throw notFound('webhook endpoint');
  const isMoved = url !== undefined && url !== row.url;
  // The secret itself is not sent, but a signed delivery lets a weak one be guessed, and is accepted by the old receiver.
  requireSecretsAgain({
    changed: isMoved ? ['url'] : [],
    stored: ['secret'],
    input: secret === undefined ? [] : ['secret'],
  });
  const columns: EndpointChange = {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: JSON.stringify(events) }),
    ...(secret !== undefined && {
      secret: await sealSecret(vault, tx, row, secret),
      ...(keep_old_secret_for > 0 && !isMoved
        ? { old_secret: row.secret, old_secret_until: tx.now + keep_old_secret_for * 1_000 }
        : { old_secret: null, old_secret_until: null }),
    }),
    ...(status === 'paused' && row.status !== 'paused' && { status, paused_because: 'user' as const }),
    ...(status === 'active' && { status, paused_because: null, failing_since: null }),
  };
  const changed = await updateEndpoint(tx, row, columns);
  if (status === 'active') await wakeSender(tx, id);
  await audit(tx, principal, secret === undefined ? 'audit.webhook_changed' : 'audit.webhook_secret_rotated', changed);
  return changed;
}

/** Sends the same delivery again with an identical body and new attempts; receivers recognise it by its ids. */
export async function redeliver(tx: Tx, principal: Principal, id: string, deliveryId: string): Promise<DeliveryRow> {
  const endpoint = await lockEndpoint(tx, principal.accountId, id);
  if (!endpoint) throw notFound('webhook endpoint');
  const delivery = await deliveryOf(tx, id, deliveryId);
  if (!delivery) throw notFound('delivery');
  if (endpoint.status === 'paused')
    throw conflict('id', 'paused', 'the endpoint is paused; set its status to active first.');
  if (!(await eventIsThere(tx, delivery.event_id)))
    throw conflict('delivery_id', 'expired', 'its event has expired and was removed; it cannot be sent again.');
  const again = await resendDelivery(tx, delivery);
  await wakeSender(tx, id);
  return again;
}

const wakeSender = (tx: Tx, id: string) => enqueue(tx, { kind: DELIVER, key: id, payload: { endpoint_id: id } });
