import { createHmac } from 'node:crypto';

export interface Signed {
  readonly eventId: string;
  readonly eventType: string;
  readonly deliveryId: string;
  readonly body: string;
  readonly secret: string;
  /** Previous secret, while both are valid. */
  readonly oldSecret?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Builds the published signature header and the headers of Standard Webhooks. */
export function deliveryHeaders(delivery: Signed): Record<string, string> {
  const { eventId, body, secret, oldSecret } = delivery;
  const timestamp = String(Math.floor(delivery.now / 1_000));
  const published = (key: string) => createHmac('sha256', key).update(body).digest('hex');
  const standard = (key: string) =>
    `v1,${createHmac('sha256', standardKey(key)).update(`${eventId}.${timestamp}.${body}`).digest('base64')}`;
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Hortus-Webhooks/1',
    'X-Service-Signature': published(secret),
    ...(oldSecret !== undefined && { 'X-Service-Signature-Old': published(oldSecret) }),
    'X-Service-Event': delivery.eventType,
    'X-Service-Delivery': delivery.deliveryId,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': [secret, oldSecret].flatMap((key) => (key === undefined ? [] : standard(key))).join(' '),
  };
}

/** Standard Webhooks decode `whsec_` secrets from base64; any other secret is used directly. */
const standardKey = (secret: string): string | Buffer =>
  /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret) ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
