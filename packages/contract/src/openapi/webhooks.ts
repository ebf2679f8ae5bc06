import { eventMeanings, eventNames } from '../events.ts';
import { WebhookBody } from '../resources/webhooks.ts';
import type { Parameter, WebhookOperation } from './document.ts';
import type { SchemaComponents } from './schemas.ts';

const header = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const sent: readonly Parameter[] = [
  header('X-Service-Signature', 'Lower-case hexadecimal HMAC-SHA256 of the raw body, keyed with the secret.'),
  header('X-Service-Event', 'Name of the event.'),
  header('X-Service-Delivery', 'Id of the delivery, the same in every attempt.'),
  header('webhook-id', 'Id of the message, after Standard Webhooks.'),
  header('webhook-timestamp', 'When this attempt was made, in epoch seconds.'),
  header('webhook-signature', 'Signature after Standard Webhooks, which covers the timestamp too.'),
];

/** The events as OpenAPI 3.1 webhooks: what the service sends, and what it expects back. */
export function webhooks(schemas: SchemaComponents): Record<string, WebhookOperation> {
  const schema = schemas.show(WebhookBody);
  const one = (name: (typeof eventNames)[number]): WebhookOperation => ({
    post: {
      summary: eventMeanings[name],
      parameters: sent,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { '2XX': { description: 'Received, within 10 seconds. Anything else is tried again for 24 hours.' } },
    },
  });
  return Object.fromEntries(eventNames.map((name) => [name, one(name)]));
}
