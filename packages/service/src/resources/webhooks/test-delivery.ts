import type { WebhookBody, WebhookTest } from '@hortus/contract/resources/webhooks';
import type { AddressGuard } from '../../outbound/address-guard.ts';
import { RESPONSE_TIMEOUT_MS } from '../../outbound/deliveries.ts';
import { post } from '../../outbound/post.ts';
import { newId } from '../../records/ids.ts';
import { iso } from '../../records/time.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { keptReply } from './reply.ts';
import { openSecrets } from './secret.ts';
import { deliveryHeaders } from './signing.ts';
import type { EndpointRow } from './store.ts';

interface TestDeps {
  readonly storage: Storage;
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly guard: AddressGuard;
}

/** Sends a signed test body once and returns what the receiver answered; nothing is stored. */
export async function testDelivery({ storage, vault, guard }: TestDeps, endpoint: EndpointRow): Promise<WebhookTest> {
  const now = Date.now();
  const [secret, oldSecret] = await openSecrets(vault, storage.reader, endpoint, now);
  const [eventType] = JSON.parse(endpoint.events) as [WebhookBody['type']];
  const eventId = newId('event');
  const content: WebhookBody = {
    id: eventId,
    type: eventType,
    created_at: iso(now),
    account_id: endpoint.account_id,
    data: { test: true },
  };
  const body = JSON.stringify(content);
  const { status, error, text, durationMs } = await post({
    url: endpoint.url,
    headers: deliveryHeaders({ eventId, eventType, deliveryId: newId('delivery'), body, secret, oldSecret, now }),
    body,
    timeoutMs: RESPONSE_TIMEOUT_MS,
    guard,
    signal: new AbortController().signal,
    readResponse: true,
  });
  const delivered = status !== null && status >= 200 && status < 300;
  return {
    delivered,
    body,
    response_code: status,
    reply: await keptReply(text, { secret, oldSecret }),
    error: error ?? (delivered ? null : `the receiver answered ${status}`),
    duration_ms: durationMs,
  };
}
