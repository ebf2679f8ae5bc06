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
  header('X-Service-Delivery', 'Id of the delivery; the same for every attempt.'),
  header('webhook-id', 'Id of the message, as in Standard Webhooks.'),
  header('webhook-timestamp', 'Time of this attempt, in epoch seconds.'),
  header('webhook-signature', 'Signature as in Standard Webhooks; it covers the timestamp too.'),
];

/** Describes the events as OpenAPI 3.1 webhooks. */
export function webhooks(schemas: SchemaComponents): Record<string, WebhookOperation> {
  const schema = schemas.show(WebhookBody);
  const operation = (name: (typeof eventNames)[number]): WebhookOperation => ({
    post: {
      operationId: `webhook.${name}`,
      summary: eventMeanings[name],
      security: [{ webhookSignature: [] }],
      parameters: sent,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: {
        '2XX': { description: 'Received. Any other answer, or none within 10 seconds, is retried for 24 hours.' },
      },
    },
  });
  return Object.fromEntries(eventNames.map((name) => [name, operation(name)]));
}
