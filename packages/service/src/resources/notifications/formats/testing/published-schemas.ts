// What the receivers accept, written down from their documentation: the parts that our messages use, with their limits.

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });
const exactly = (properties: Record<string, unknown>, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** Largest bodies that the receivers accept, in bytes. */
export const maxBytes = {
  slack: 100_000,
  discord: 100_000,
  // https://learn.microsoft.com/connectors/teams says 28 KB; senders report refusals from 21 KB on.
  teams: 21_000,
  telegram: 100_000,
  // https://github.com/binwiederhier/ntfy/blob/main/server/server.go reads twice the limit of a message.
  ntfy: 8_192,
  gotify: 100_000,
  url: 100_000,
};

interface Texts {
  readonly slack: { readonly blocks: readonly { readonly text: { readonly text: string } }[] };
  readonly discord: { readonly embeds: readonly { readonly title: string; readonly description: string }[] };
  readonly ntfy: { readonly message: string };
}

const sum = (texts: readonly string[]): number => texts.reduce((length, text) => length + text.length, 0);

/** Limits that a JSON Schema cannot express. */
export const keepsTogether = {
  // https://github.com/slackapi/bolt-js/issues/2509: msg_blocks_too_long from about 13,200 characters on.
  slack: ({ blocks }: Texts['slack']) => sum(blocks.map(({ text }) => text.text)) <= 13_000,
  discord: ({ embeds }: Texts['discord']) =>
    sum(embeds.flatMap(({ title, description }) => [title, description])) <= 6_000,
  // From 4,096 bytes on, it is an attachment.
  ntfy: ({ message }: Texts['ntfy']) => Buffer.byteLength(message) < 4_096,
};

const plainText = exactly({ type: { const: 'plain_text' }, text: text(3_000), emoji: { type: 'boolean' } }, [
  'type',
  'text',
]);
const markdown = exactly({ type: { const: 'mrkdwn' }, text: text(3_000), verbatim: { type: 'boolean' } }, [
  'type',
  'text',
]);

/** https://docs.slack.dev/reference/block-kit/blocks/section-block and /composition-objects/text-object */
export const slack = exactly(
  {
    text: text(40_000),
    mrkdwn: { type: 'boolean' },
    unfurl_links: { type: 'boolean' },
    blocks: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: exactly({ type: { const: 'section' }, text: { oneOf: [plainText, markdown] } }, ['type', 'text']),
    },
  },
  ['text'],
);

/** https://discord.com/developers/docs/resources/webhook#execute-webhook and /resources/message#embed-object */
export const discord = exactly(
  {
    embeds: {
      type: 'array',
      minItems: 1,
      maxItems: 10,
      items: exactly(
        {
          title: text(256),
          description: text(4_096),
          color: { type: 'integer', minimum: 0, maximum: 0xffffff },
          url: { type: 'string', pattern: '^https?://' },
          timestamp: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT' },
        },
        ['title'],
      ),
    },
    allowed_mentions: exactly({ parse: { type: 'array', items: { enum: ['roles', 'users', 'everyone'] } } }, ['parse']),
  },
  ['embeds'],
);

const textBlock = exactly(
  {
    type: { const: 'TextBlock' },
    text: text(28_000),
    wrap: { type: 'boolean' },
    weight: { enum: ['Default', 'Lighter', 'Bolder'] },
    size: { enum: ['Default', 'Small', 'Medium', 'Large', 'ExtraLarge'] },
    color: { enum: ['Default', 'Dark', 'Light', 'Accent', 'Good', 'Warning', 'Attention'] },
    spacing: { enum: ['Default', 'None', 'Small', 'Medium', 'Large', 'ExtraLarge', 'Padding'] },
  },
  ['type', 'text'],
);

/** https://adaptivecards.io/schemas/1.4.0/adaptive-card.json, inside the message that workflows receive. */
export const teams = exactly(
  {
    type: { const: 'message' },
    attachments: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: exactly(
        {
          contentType: { const: 'application/vnd.microsoft.card.adaptive' },
          contentUrl: { type: 'null' },
          content: exactly(
            {
              $schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
              type: { const: 'AdaptiveCard' },
              version: { const: '1.4' },
              body: { type: 'array', minItems: 1, items: textBlock },
              actions: {
                type: 'array',
                items: exactly(
                  {
                    type: { const: 'Action.OpenUrl' },
                    title: text(50),
                    url: { type: 'string', pattern: '^https?://' },
                  },
                  ['type', 'url'],
                ),
              },
            },
            ['type', 'version', 'body'],
          ),
        },
        ['contentType', 'content'],
      ),
    },
  },
  ['type', 'attachments'],
);

/** https://core.telegram.org/bots/api#sendmessage */
export const telegram = exactly(
  {
    chat_id: { type: 'string', pattern: '^(-?\\d+|@\\w+)$' },
    text: text(4_096),
    link_preview_options: exactly({ is_disabled: { type: 'boolean' } }, []),
  },
  ['chat_id', 'text'],
);

/** https://docs.ntfy.sh/publish/#publish-as-json */
export const ntfy = exactly(
  {
    topic: { type: 'string', pattern: '^[-_A-Za-z0-9]{1,64}$' },
    title: text(250),
    message: text(4_096),
    priority: { type: 'integer', minimum: 1, maximum: 5 },
    tags: { type: 'array', items: { type: 'string' } },
    click: { type: 'string', pattern: '^https?://' },
  },
  ['topic'],
);

/** https://gotify.net/api-docs#/message/createMessage, without limits, and https://gotify.net/docs/msgextras */
export const gotify = exactly(
  {
    title: { type: 'string' },
    message: { type: 'string', minLength: 1 },
    priority: { type: 'integer' },
    extras: exactly(
      {
        'client::display': exactly({ contentType: { enum: ['text/plain', 'text/markdown'] } }, ['contentType']),
        'client::notification': exactly({ click: exactly({ url: { type: 'string' } }, ['url']) }, []),
      },
      [],
    ),
  },
  ['message'],
);

/** docs/notifications.md */
export const url = exactly(
  {
    id: text(64),
    status: { enum: ['open', 'resolved', 'test'] },
    title: text(250),
    text: text(60_000),
    count: { type: 'integer' },
    link: { type: 'string' },
    at: { type: 'string' },
    alerts: { type: 'array' },
  },
  ['id', 'status', 'title', 'text', 'count', 'link', 'at', 'alerts'],
);
