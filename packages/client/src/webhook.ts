import type { WebhookBody } from '@hortus/contract/resources/webhooks';

/** Headers of a delivery, as a server of Node or a Request has them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookDelivery {
  readonly headers: WebhookHeaders;
  /** The raw body; parsed and printed again it has another signature. */
  readonly body: string;
  /** Secret of the endpoint. */
  readonly secret: string;
  /** Older and newer deliveries are refused, so that a recorded one cannot be repeated later. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
  /** Milliseconds since 1970, for tests. */
  readonly now?: number | undefined;
}

const TOLERANCE_SECONDS = 300;

/**
 * Verifies a webhook delivery and returns its event. Returns undefined if it was not signed with the secret or not recently. While
 * a changed secret and its predecessor are both valid, either is accepted. Deliveries may be repeated: discard those whose
 * `id` is known.
 */
export async function readWebhook(delivery: WebhookDelivery): Promise<WebhookBody | undefined> {
  const { body, secret, toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() } = delivery;
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(delivery.headers, name),
  );
  if (id === undefined || timestamp === undefined || signatures === undefined) return undefined;
  // Also false for a timestamp that is not a number.
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds)) return undefined;
  const key = await crypto.subtle.importKey('raw', keyOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of signatures.split(' ', MAX_SIGNATURES)) {
    const input = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature)?.[1];
    if (input !== undefined && (await crypto.subtle.verify('HMAC', key, bytesOf(input), signed)))
      return JSON.parse(body) as WebhookBody;
  }
  return undefined;
}

/** One for each valid secret; more are not from the service. */
const MAX_SIGNATURES = 4;

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const value = (headers as Readonly<Record<string, string | readonly string[] | undefined>>)[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** Secrets in whsec_ notation are base64; any other is the key itself. Web Crypto accepts no empty key; a zero byte gives the same HMAC. */
const keyOf = (secret: string): Uint8Array<ArrayBuffer> =>
  /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret)
    ? bytesOf(secret.slice('whsec_'.length))
    : new TextEncoder().encode(secret || '\0');

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
