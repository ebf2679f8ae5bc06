import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { choice, id, idParam, nullable, text } from '../records/fields.ts';

export const channelTypes = ['email', 'slack', 'discord', 'teams', 'telegram', 'ntfy', 'gotify', 'url'] as const;
export type ChannelType = (typeof channelTypes)[number];

/** Placeholders of the body of a channel of type url; see docs/notifications.md. */
export const templatePlaceholders = ['id', 'status', 'title', 'text', 'count', 'link', 'at'] as const;
export type TemplatePlaceholder = (typeof templatePlaceholders)[number];

export const NotificationChannel = Type.Object(
  {
    id: id('channel'),
    type: choice(channelTypes),
    name: Type.String(),
    target: Type.String({
      description: 'Where messages go, without secrets: recipients, or the host of the receiver.',
      examples: ['ops@example.org', 'hooks.slack.com'],
    }),
    status: choice(['active', 'paused'], { description: 'A paused channel gets no messages.' }),
    failing_since: nullable(Timestamp, {
      description: 'Time of the first failure since the last successful delivery; null if the last one succeeded.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'NotificationChannel', description: 'Addresses and tokens of receivers are never shown.' },
);
export type NotificationChannel = Static<typeof NotificationChannel>;

const address = Type.String({ minLength: 1, maxLength: 2_048, pattern: '^[hH][tT][tT][pP][sS]?://' });
/** Printable ASCII: it becomes part of a header or a path. */
const token = Type.String({ minLength: 1, maxLength: 512, pattern: '^[\\x21-\\x7e]+$' });

const target = {
  to: Type.Optional(
    Type.Array(
      Type.String({
        maxLength: 254,
        pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,188}[A-Za-z0-9])?$",
      }),
      { minItems: 1, maxItems: 20, uniqueItems: true, description: 'email: the recipients.' },
    ),
  ),
  url: Type.Optional({
    ...address,
    description:
      'slack, discord, teams: address of the incoming webhook. gotify: address of the server. ntfy, telegram: address of the server, by default the public one. url: where to POST. Loopback and private addresses are refused unless the operator allows them.',
  }),
  token: Type.Optional({
    ...token,
    description: 'telegram: token of the bot. gotify: token of the application. ntfy: access token, if needed.',
  }),
  chat_id: Type.Optional(
    Type.String({
      maxLength: 65,
      pattern: '^(?:-?[0-9]{1,20}|@[A-Za-z0-9_]{1,64})$',
      description: 'telegram: id of the chat, or @name of a channel.',
    }),
  ),
  topic: Type.Optional(Type.String({ maxLength: 64, pattern: '^[A-Za-z0-9_-]+$', description: 'ntfy: the topic.' })),
  headers: Type.Optional(
    Type.Record(
      Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' }),
      Type.String({ maxLength: 1_024, pattern: '^[\\x20-\\x7e]*$' }),
      {
        additionalProperties: false,
        maxProperties: 16,
        description: 'url: additional headers, such as Authorization.',
      },
    ),
  ),
  template: Type.Optional(
    Type.String({
      maxLength: 8_192,
      description: `url: body of the request, with the placeholders ${templatePlaceholders.map((name) => `{{${name}}}`).join(', ')}. Without it, the message is sent as JSON.`,
    }),
  ),
  content_type: Type.Optional(
    choice(['application/json', 'text/plain'], {
      description: 'url: type of the body. Values are escaped for it; default application/json.',
    }),
  ),
};

export const ChannelCreate = Type.Object(
  { type: choice(channelTypes), name: text(100), ...target },
  {
    title: 'ChannelCreate',
    additionalProperties: false,
    examples: [
      { type: 'email', name: 'Operations', to: ['ops@example.org'] },
      { type: 'slack', name: 'Slack', url: 'https://hooks.slack.com/services/T000/B000/XXXX' },
    ],
  },
);
export type ChannelCreate = Static<typeof ChannelCreate>;

export const ChannelUpdate = Type.Object(
  {
    name: Type.Optional(text(100)),
    ...target,
    status: Type.Optional(choice(['active', 'paused'], { description: 'active sends pending messages.' })),
  },
  {
    title: 'ChannelUpdate',
    additionalProperties: false,
    description: 'A change of url must contain token, topic, headers and template again, if the channel has them.',
    examples: [{ status: 'paused' }],
  },
);
export type ChannelUpdate = Static<typeof ChannelUpdate>;

export const ChannelTest = Type.Object(
  {
    delivered: Type.Boolean(),
    response_code: nullable(Type.Integer(), { description: 'HTTP or SMTP status, if the receiver answered.' }),
    reply: nullable(Type.String(), { description: 'Beginning of the answer of the receiver, without secrets.' }),
    error: nullable(Type.String(), { description: 'Why the message was not delivered.' }),
    duration_ms: Type.Integer(),
  },
  { title: 'ChannelTest' },
);
export type ChannelTest = Static<typeof ChannelTest>;

const shared = { tag: 'notifications' } as const;
const params = Type.Object({ id: idParam('Id of a notification channel.') });

export const channelEndpoints = {
  'notifications.channels': endpoint({
    ...shared,
    method: 'GET',
    path: '/notifications/channels',
    summary: 'List the notification channels',
    permission: 'notifications:read',
    query: Type.Object({ ...paging }),
    response: list(NotificationChannel),
  }),
  'notifications.createChannel': endpoint({
    ...shared,
    method: 'POST',
    path: '/notifications/channels',
    summary: 'Create a notification channel',
    permission: 'notifications:write',
    idempotent: true,
    status: 201,
    body: ChannelCreate,
    response: envelope(NotificationChannel),
  }),
  'notifications.readChannel': endpoint({
    ...shared,
    method: 'GET',
    path: '/notifications/channels/{id}',
    summary: 'Read a notification channel',
    permission: 'notifications:read',
    params,
    response: envelope(NotificationChannel),
  }),
  'notifications.updateChannel': endpoint({
    ...shared,
    record: { read: 'notifications.readChannel', observed: ['failing_since'] },
    method: 'PATCH',
    path: '/notifications/channels/{id}',
    summary: 'Change, pause or resume a notification channel',
    description: 'Omitted fields keep their values.',
    permission: 'notifications:write',
    params,
    body: ChannelUpdate,
    response: envelope(NotificationChannel),
  }),
  'notifications.deleteChannel': endpoint({
    ...shared,
    method: 'DELETE',
    path: '/notifications/channels/{id}',
    summary: 'Remove a notification channel',
    description: 'Pending messages are not sent any more. Rules that name only this channel become paused.',
    permission: 'notifications:write',
    params,
    response: envelope(NotificationChannel),
  }),
  'notifications.testChannel': endpoint({
    ...shared,
    method: 'POST',
    path: '/notifications/channels/{id}/test',
    summary: 'Send a test message and answer with the reply of the receiver',
    description: 'Waits at most 10 seconds for the receiver. Nothing is retried.',
    permission: 'notifications:write',
    params,
    response: envelope(ChannelTest),
  }),
};
