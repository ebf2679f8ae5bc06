import { createHmac } from 'node:crypto';

export interface Signed {
  readonly eventId: string;
  readonly eventType: string;
  readonly deliveryId: string;
  readonly body: string;
  readonly secret: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The published signature and, for receivers that have a library for them, the headers of Standard Webhooks. */
export function deliveryHeaders(delivery: Signed): Record<string, string> {
  const { eventId, body, secret } = delivery;
  const timestamp = String(Math.floor(delivery.now / 1_000));
  const standard = createHmac('sha256', standardKey(secret)).update(`${eventId}.${timestamp}.${body}`).digest('base64');
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Hortus-Webhooks/1',
    'X-Service-Signature': createHmac('sha256', secret).update(body).digest('hex'),
    'X-Service-Event': delivery.eventType,
    'X-Service-Delivery': delivery.deliveryId,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standard}`,
  };
}

/** Libraries of Standard Webhooks take `whsec_` and base64 for the key's bytes; any other secret is its own key. */
const standardKey = (secret: string): string | Buffer =>
  /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret) ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
