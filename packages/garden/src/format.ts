import { eventNames } from '@hortus/contract/events';
import { choice, namePattern, text } from '@hortus/contract/records/fields';
import { BackupWishes } from '@hortus/contract/resources/backup-settings';
import { InputValue } from '@hortus/contract/resources/definition-records';
import { DefinitionCreate, inputName, needName } from '@hortus/contract/resources/definitions';
import { ChannelCreate } from '@hortus/contract/resources/notification-channels';
import { RuleCreate } from '@hortus/contract/resources/notifications';
import { WantedLabels } from '@hortus/contract/resources/server-records';
import { webhookStatuses } from '@hortus/contract/resources/webhooks';
import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import Type, { type Static, type TSchema } from 'typebox';

/** Most definitions of one garden. */
const MAX_DEFINITIONS = 2_000;

const closed = { additionalProperties: false } as const;
const { profile, watch_seconds, heal, variant } = DefinitionCreate.properties;

/** A text that may be a reference, so its own form is checked only after references are resolved. */
const open = (description: string, examples?: string[]) =>
  Type.String({ minLength: 1, maxLength: 65_536, description, ...(examples && { examples }) });

const named = <Schema extends TSchema>(pattern: string, schema: Schema, maxProperties: number, description: string) =>
  Type.Optional(Type.Record(Type.String({ pattern }), schema, { ...closed, maxProperties, description }));

const ANY_NAME = '^[^\\u0000-\\u001f]{1,100}$';
export const GARDEN_NAME = '^[a-z0-9][a-z0-9-]{0,62}$';

export const GardenDefinition = Type.Object(
  {
    species: Type.Optional(
      text(64, { description: 'Species of the catalog or of the account. Not with template.', examples: ['miniflux'] }),
    ),
    template: Type.Optional(
      text(512, {
        description: 'Path of a template beside this file, one of `templates`. Not with species.',
        examples: ['templates/shop/template.yaml'],
      }),
    ),
    server: Type.Optional(text(128, { description: 'Name or id of the server. Not with placement.' })),
    placement: Type.Optional(
      Type.Object(
        {
          servers: Type.Optional(
            Type.Array(text(128), {
              minItems: 1,
              maxItems: 100,
              description: 'Names or ids of the servers to choose from; by default every server that takes work.',
            }),
          ),
          labels: Type.Optional(WantedLabels),
        },
        {
          ...closed,
          description:
            'Lets the service choose the server with the fewest definitions, online ones first, once, when the definition is created. Not with server.',
        },
      ),
    ),
    name: Type.Optional(text(120, { description: 'Display name; defaults to the uid.' })),
    inputs: Type.Optional(
      Type.Record(inputName, InputValue, {
        ...closed,
        maxProperties: 500,
        description:
          'Values by input name. Inputs that are left out get their defaults; passwords that are left out keep their stored values.',
      }),
    ),
    profile,
    variant,
    tenant: Type.Optional(text(128, { description: 'Slug, name or id of the tenant; it must be on the same server.' })),
    heal,
    watch_seconds,
    backup: Type.Optional(BackupWishes),
    needs: Type.Optional(
      Type.Array(text(63), {
        maxItems: 100,
        description: 'Uids of definitions of this garden that must be deployed before this one.',
      }),
    ),
    bindings: Type.Optional(
      Type.Record(
        needName,
        Type.String({
          pattern: '^(connection|instance):.{1,120}$',
          description: 'A saved connection by its name, or a definition by its uid.',
          examples: ['connection:Office mail', 'instance:postgres'],
        }),
        {
          ...closed,
          maxProperties: 20,
          description: 'What meets the needs of the template, by the name of the need. Left out, a need is unbound.',
        },
      ),
    ),
  },
  { ...closed, title: 'GardenDefinition' },
);
export type GardenDefinition = Static<typeof GardenDefinition>;

const GardenRegistry = Type.Object(
  {
    username: open('User name at the registry.'),
    password: Type.Optional(open('A reference such as ${env.REGISTRY_TOKEN}; left out, the stored one is kept.')),
  },
  { ...closed, title: 'GardenRegistry' },
);

const GardenWebhook = Type.Object(
  {
    url: open('An http or https address.', ['https://hooks.example.org/hortus', '${env.HOOK_URL}']),
    events: Type.Array(choice(eventNames), { minItems: 1, maxItems: 64, description: 'Events to deliver.' }),
    secret: Type.Optional(open('A reference such as ${env.HOOK_SECRET}; left out, the stored one is kept.')),
    status: Type.Optional(choice(webhookStatuses, { default: 'active' })),
  },
  { ...closed, title: 'GardenWebhook' },
);

const { name: _ofChannel, url: _url, token: _token, ...channelFields } = ChannelCreate.properties;
const GardenChannel = Type.Object(
  {
    ...channelFields,
    url: Type.Optional(open('Address of the receiver; see the API. For slack, discord, teams and url a reference.')),
    token: Type.Optional(open('A reference such as ${env.BOT_TOKEN}; left out, the stored one is kept.')),
    status: Type.Optional(choice(['active', 'paused'], { default: 'active' })),
  },
  { ...closed, title: 'GardenChannel' },
);

const { name: _ofRule, channel_ids: _ids, status: _status, ...ruleFields } = RuleCreate.properties;
const GardenRule = Type.Object(
  {
    ...ruleFields,
    channels: Type.Optional(
      Type.Array(text(100), {
        maxItems: 50,
        description: 'Names of the channels to send to; left out, all channels of the account.',
      }),
    ),
    status: Type.Optional(choice(['active', 'paused'], { default: 'active' })),
  },
  { ...closed, title: 'GardenRule' },
);

/** The format of `garden.yaml`. Field names are those of the API wherever it has them. */
export const Garden = Type.Object(
  {
    name: Type.String({
      pattern: GARDEN_NAME,
      maxLength: 63,
      description: 'Name of the garden: lower-case letters, digits and hyphens.',
      examples: ['home'],
    }),
    templates: Type.Optional(
      Type.Array(text(512, { examples: ['templates/shop/template.yaml'] }), {
        maxItems: 200,
        description: 'Paths of private templates, relative to this file. They are published to the account.',
      }),
    ),
    definitions: named(namePattern, GardenDefinition, MAX_DEFINITIONS, 'Definitions by their uid.'),
    registries: named('^[A-Za-z0-9][A-Za-z0-9.:-]{0,258}$', GardenRegistry, 100, 'Credentials by registry host.'),
    webhooks: named(ANY_NAME, GardenWebhook, 100, 'Webhook endpoints by a name of your choice.'),
    channels: named(ANY_NAME, GardenChannel, 50, 'Notification channels by their name.'),
    rules: named(ANY_NAME, GardenRule, 100, 'Notification rules by their name.'),
  },
  {
    ...closed,
    title: 'Garden',
    description: 'Everything that this file describes, as it is to be. Secrets are references, never values.',
  },
);
export type Garden = Static<typeof Garden>;

/** Path of the schema at the root of a running service. */
export const GARDEN_SCHEMA_PATH = '/schemas/garden.json';

/** Returns the format as a document for editors: draft 7, which the YAML language server supports fully. */
export const gardenSchema = (publicUrl: string) => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...Garden,
  $id: `${withoutTrailing(publicUrl, '/')}${GARDEN_SCHEMA_PATH}`,
});
