import type { Event } from '@hortus/contract/resources/events';
import type { Delivery } from '@hortus/contract/resources/webhooks';

/** The request of a delivery, rebuilt from its event; the secret of its signature is not known here. */
export function requestText(url: string, { id, event_type }: Delivery, event: Event): string {
  const { type, created_at, account_id, data } = event;
  const head = [
    `POST ${url}`,
    'Content-Type: application/json',
    'X-Service-Signature: HMAC-SHA256 of the body',
    `X-Service-Event: ${event_type}`,
    `X-Service-Delivery: ${id}`,
  ].join('\n');
  return `${head}\n\n${JSON.stringify({ id: event.id, type, created_at, account_id, data }, null, 2)}`;
}
