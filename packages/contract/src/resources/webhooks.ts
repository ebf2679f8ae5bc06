import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { eventNames } from '../events.ts';
import { choice, id, idParam, nullable } from '../records/fields.ts';

export const webhookStatuses = ['active', 'paused'] as const;
export const deliveryStatuses = ['pending', 'delivered', 'dead'] as const;

export const WebhookEndpoint = Type.Object(
  {
    id: id('webhook'),
    url: Type.String(),
    events: Type.Array(choice(eventNames)),
    status: choice(webhookStatuses, { description: 'A paused endpoint receives nothing.' }),
    paused_because: nullable(choice(['user', 'dead']), {
      description: 'dead: no delivery succeeded for 24 hours; set the status to active when the receiver works again.',
    }),
    failing_since: nullable(Timestamp, {
      description: 'Time of the first failure since the last successful delivery; null if the last one succeeded.',
    }),
    old_secret_until: nullable(Timestamp, {
      description: 'Until when deliveries are also signed with the previous secret.',
    }),
    warnings: Type.Array(Type.String(), {
      description: 'Warnings about the secret that was just set; empty in all other answers.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'WebhookEndpoint', description: 'The signing secret is never shown.' },
);
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

export const Delivery = Type.Object(
  {
    id: id('delivery'),
    event_id: id('event'),
    event_type: choice(eventNames),
    seq: Type.Integer({ description: 'Position of the event in the audit log.' }),
    status: choice(deliveryStatuses, { description: 'dead: failed after 24 hours of retries.' }),
    attempts: Type.Integer(),
    response_code: nullable(Type.Integer(), { description: 'HTTP status of the last attempt, if it was answered.' }),
    error: nullable(Type.String(), { description: 'Why the last attempt failed.' }),
    duration_ms: nullable(Type.Integer(), { description: 'Duration of the last attempt.' }),
    next_attempt_at: nullable(Timestamp),
    delivered_at: nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'Delivery' },
);
export type Delivery = Static<typeof Delivery>;

const DeliveryWithReply = Type.Object(
  {
    ...Delivery.properties,
    reply: nullable(Type.String(), {
      description:
        'Up to 4 KiB of the body that the receiver answered to the last attempt, without the signing secrets. Untrusted text; null if it did not answer.',
    }),
  },
  { title: 'DeliveryWithReply' },
);

/** Body of a delivery. */
export const WebhookBody = Type.Object(
  {
    id: id('event', { description: 'The same in every attempt; use it to discard duplicates.' }),
    type: choice(eventNames),
    created_at: Timestamp,
    account_id: id('account'),
    data: Type.Record(Type.String(), Type.Unknown(), { description: 'Facts of the event. Never a secret.' }),
  },
  { title: 'WebhookBody' },
);
export type WebhookBody = Static<typeof WebhookBody>;

export const WebhookTest = Type.Object(
  {
    delivered: Type.Boolean({ description: 'Whether the receiver answered with 2xx.' }),
    body: Type.String({ description: 'The signed body, as it was sent.' }),
    response_code: nullable(Type.Integer(), { description: 'HTTP status, if the receiver answered.' }),
    reply: nullable(Type.String(), {
      description: 'Up to 4 KiB of the answer of the receiver, without the signing secrets. Untrusted text.',
    }),
    error: nullable(Type.String(), { description: 'Why the test was not delivered.' }),
    duration_ms: Type.Integer(),
  },
  { title: 'WebhookTest' },
);
export type WebhookTest = Static<typeof WebhookTest>;

export const WebhookRegistration = Type.Object(
  {
    url: Type.String({
      format: 'uri',
      pattern: '^[hH][tT][tT][pP][sS]?://',
      maxLength: 2048,
      description:
        'An http or https address. Loopback and private addresses are refused unless the operator allows them.',
    }),
    events: Type.Array(choice(eventNames), { minItems: 1, maxItems: 64, uniqueItems: true }),
    secret: Type.String({
      // Fits into the maximum size of a body.
      maxLength: 1_000_000,
      description:
        'Key of the HMAC-SHA256 of the raw body, sent as lower-case hex in X-Service-Signature. Any length; a short secret causes a warning.',
    }),
  },
  {
    title: 'WebhookRegistration',
    additionalProperties: false,
    examples: [
      {
        url: 'https://hooks.example.org/hortus',
        events: ['deployment.success', 'deployment.failed'],
        secret: 'a long random string',
      },
    ],
  },
);
export type WebhookRegistration = Static<typeof WebhookRegistration>;

const { url, events, secret } = WebhookRegistration.properties;
export const WebhookUpdate = Type.Object(
  {
    url: Type.Optional({
      ...url,
      description:
        'Another address needs the secret again, or a new one; deliveries to it are not signed with the old one.',
    }),
    events: Type.Optional(events),
    secret: Type.Optional(secret),
    keep_old_secret_for: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 86_400,
        description:
          'Seconds during which deliveries are also signed with the old secret: in X-Service-Signature-Old, and as a second entry of webhook-signature.',
      }),
    ),
    status: Type.Optional(choice(webhookStatuses, { description: 'active resumes, and sends pending deliveries.' })),
  },
  {
    title: 'WebhookUpdate',
    additionalProperties: false,
    examples: [{ secret: 'another long random string' }, { status: 'active' }],
  },
);
export type WebhookUpdate = Static<typeof WebhookUpdate>;

const params = Type.Object({ id: idParam('Id of a webhook endpoint.') });

const deliveryParams = Type.Object({ ...params.properties, delivery_id: idParam('Id of a delivery.') });

const create = {
  method: 'POST',
  tag: 'webhooks',
  permission: 'webhooks:write',
  idempotent: true,
  status: 201,
  body: WebhookRegistration,
  response: envelope(WebhookEndpoint),
} as const;

export const webhookEndpoints = {
  'webhooks.list': endpoint({
    method: 'GET',
    path: '/webhooks/endpoints',
    tag: 'webhooks',
    summary: 'List the webhook endpoints',
    permission: 'webhooks:read',
    query: Type.Object({ ...paging }),
    response: list(WebhookEndpoint),
  }),
  'webhooks.create': endpoint({ ...create, path: '/webhooks/endpoints', summary: 'Register a webhook endpoint' }),
  'webhooks.createAlternative': endpoint({
    ...create,
    path: '/webhooks',
    summary: 'Register a webhook endpoint (alternative path)',
  }),
  'webhooks.read': endpoint({
    method: 'GET',
    path: '/webhooks/endpoints/{id}',
    tag: 'webhooks',
    summary: 'Read a webhook endpoint',
    permission: 'webhooks:read',
    params,
    response: envelope(WebhookEndpoint),
  }),
  'webhooks.update': endpoint({
    record: { read: 'webhooks.read', observed: ['failing_since', 'paused_because', 'warnings'] },
    method: 'PATCH',
    path: '/webhooks/endpoints/{id}',
    tag: 'webhooks',
    summary: 'Change, pause or resume a webhook endpoint',
    description: 'Omitted fields keep their values.',
    permission: 'webhooks:write',
    params,
    body: WebhookUpdate,
    response: envelope(WebhookEndpoint),
  }),
  'webhooks.redeliver': endpoint({
    method: 'POST',
    path: '/webhooks/endpoints/{id}/deliveries/{delivery_id}/redeliver',
    tag: 'webhooks',
    summary: 'Repeat a delivery',
    description: 'With the same body and the same ids. A delivery older than 24 hours is attempted once.',
    permission: 'webhooks:write',
    status: 202,
    params: deliveryParams,
    response: envelope(Delivery),
  }),
  'webhooks.test': endpoint({
    method: 'POST',
    path: '/webhooks/endpoints/{id}/test',
    tag: 'webhooks',
    summary: 'Send a test delivery and answer with the reply of the receiver',
    description:
      'Signed like every delivery, with the first subscribed event as its type and `{"test": true}` as its data. Waits at most 10 seconds; nothing is stored or retried. A paused endpoint can be tested too.',
    permission: 'webhooks:write',
    params,
    response: envelope(WebhookTest),
  }),
  'webhooks.delete': endpoint({
    method: 'DELETE',
    path: '/webhooks/endpoints/{id}',
    tag: 'webhooks',
    summary: 'Remove a webhook endpoint',
    description: 'Pending deliveries are not sent any more.',
    permission: 'webhooks:write',
    params,
    response: envelope(WebhookEndpoint),
  }),
  'webhooks.deliveries': endpoint({
    method: 'GET',
    path: '/webhooks/endpoints/{id}/deliveries',
    tag: 'webhooks',
    summary: 'List the deliveries to a webhook endpoint, newest first',
    permission: 'webhooks:read',
    params,
    query: Type.Object({
      status: Type.Optional(choice(deliveryStatuses, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(Delivery),
  }),
  'webhooks.delivery': endpoint({
    method: 'GET',
    path: '/webhooks/endpoints/{id}/deliveries/{delivery_id}',
    tag: 'webhooks',
    summary: 'Read a delivery with the answer of the receiver',
    permission: 'webhooks:read',
    params: deliveryParams,
    response: envelope(DeliveryWithReply),
  }),
};
