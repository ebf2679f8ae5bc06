import type { ChannelCreate } from '@hortus/contract/resources/notification-channels';
import type { NotificationRule, RuleCreate } from '@hortus/contract/resources/notifications';
import type { RegistryCreate } from '@hortus/contract/resources/registries';
import type { WebhookRegistration } from '@hortus/contract/resources/webhooks';
import { secretsAgain } from '@hortus/contract/runtime/secrets-again';
import type { Garden } from '@hortus/garden/format';
import { type FieldValue, nameOf, type PresentItem, type WantedItem } from '@hortus/garden/items';
import type { Change, FieldChange } from '@hortus/garden/plan';
import { referenceIn, resolved, type Values } from '@hortus/garden/references';
import { type Problem, secretChannelFields } from '@hortus/garden/secret-places';
import { canonicalJson } from '@hortus/template/canonical/canonical-json';
import { registryName } from '@hortus/template/notation/image-reference';
import { type ChannelConfig, defaults } from '../notifications/public.ts';
import type { Claims, WantedRecord } from './item.ts';

/** What exists of the kinds that are no definitions. */
export interface PresentSettings {
  readonly registries: readonly {
    readonly id: string;
    readonly host: string;
    readonly username: string;
    readonly password: string;
  }[];
  readonly webhooks: readonly {
    readonly row: { readonly id: string; readonly url: string; readonly events: string; readonly status: string };
    readonly secret: string;
  }[];
  readonly channels: readonly {
    readonly channel: {
      readonly id: string;
      readonly type: ChannelCreate['type'];
      readonly name: string;
      readonly status: string;
    };
    readonly config: ChannelConfig;
  }[];
  readonly rules: readonly NotificationRule[];
}

interface Both {
  readonly wanted: readonly WantedRecord[];
  readonly present: readonly PresentItem[];
}

/** Compares registries, channels, rules and webhooks with those of the account. */
export function compareSettings(garden: Garden, values: Values, there: PresentSettings, claims: Claims): Both {
  const parts = [
    registries(garden, values, there),
    channels(garden, values, there),
    rules(garden, there),
    webhooks(garden, values, there, claims),
  ];
  return { wanted: parts.flatMap(({ wanted }) => wanted), present: parts.flatMap(({ present }) => present) };
}

function registries(garden: Garden, values: Values, there: PresentSettings): Both {
  const wanted = Object.entries(garden.registries ?? {}).map(([host, input]): WantedRecord => {
    const { username = '', password } = resolved(input, values);
    const item = { kind: 'registry', key: registryName(host), fields: { username }, needs: [] } as const;
    const secrets = password === undefined ? {} : { password };
    return {
      item: { ...item, secrets, hidden: referenced(input) },
      create: { host, username, ...secrets } satisfies Partial<RegistryCreate>,
      update: () => ({ username, ...secrets }),
    };
  });
  const present = there.registries.map(
    ({ id, host, username, password }): PresentItem => ({
      kind: 'registry',
      key: host,
      id,
      fields: { username },
      secrets: { password },
      settled: true,
    }),
  );
  return { wanted, present };
}

function channels(garden: Garden, values: Values, there: PresentSettings): Both {
  const wanted = Object.entries(garden.channels ?? {}).map(([name, input]): WantedRecord => {
    const { status = 'active', type, ...config } = resolved(input, values);
    const { fields, secrets } = splitConfig(type, config as ChannelConfig);
    return {
      item: {
        ...{ kind: 'channel', key: name, secrets, needs: [] },
        fields: { type, status, ...fields },
        hidden: referenced(input),
      },
      create: { type, name, ...config, status },
      update: (changes) => ({
        ...(isMoved(changes) ? config : onlyChanged(config, changes)),
        status,
        without: removed(changes),
      }),
    };
  });
  const present = there.channels.map(({ channel, config }): PresentItem => {
    const { type, status, name, id } = channel;
    const { fields, secrets } = splitConfig(type, config);
    return {
      ...{ kind: 'channel', key: name, id, settled: true, secrets },
      fields: { type, status, ...fields },
      fixed: { type: 'the type of a channel cannot be changed; choose another name' },
    };
  });
  return { wanted, present };
}

/** Separates the settings of a channel that may be shown. Headers count as one secret. */
function splitConfig(type: ChannelCreate['type'], config: ChannelConfig) {
  const secret = new Set(secretChannelFields(type));
  const entries = Object.entries(config).filter(([, value]) => value !== undefined);
  const text = (value: unknown) => (typeof value === 'string' ? value : canonicalJson(value));
  return {
    fields: Object.fromEntries(entries.filter(([name]) => !secret.has(name))) as Record<string, FieldValue>,
    secrets: Object.fromEntries(
      entries.filter(([name]) => secret.has(name)).map(([name, value]) => [name, text(value)]),
    ) as Record<string, string>,
  };
}

function rules(garden: Garden, there: PresentSettings): Both {
  const nameOfChannel = new Map(there.channels.map(({ channel }) => [channel.id, channel.name]));
  const wanted = Object.entries(garden.rules ?? {}).map(([name, input]): WantedRecord => {
    const { channels: named = [], status = 'active', kind, ...own } = input;
    const thresholds = { ...defaults[kind], ...own };
    return {
      item: {
        ...{ kind: 'rule', key: name, secrets: {} },
        fields: { kind, status, ...thresholds, channels: [...named].sort() },
        needs: named.map((key) => nameOf({ kind: 'channel', key })),
      } as WantedItem,
      // Names of channels become ids when the rule is made: a channel may be new.
      create: { body: { name, kind, ...thresholds, status } satisfies RuleCreate, channels: named },
      update: () => ({ body: { ...thresholds, status }, channels: named }),
    };
  });
  const present = there.rules.map((rule): PresentItem => {
    const { id, name, kind, status, types, minutes, percent, restarts, days, channel_ids } = rule;
    const named = channel_ids.map((channel) => nameOfChannel.get(channel) ?? channel).sort();
    return {
      ...{ kind: 'rule', key: name, id, settled: true, secrets: {} },
      fields: { kind, status, types, minutes, percent, restarts, days, channels: named },
      fixed: { kind: 'the kind of a rule cannot be changed; choose another name' },
    };
  });
  return { wanted, present };
}

function webhooks(garden: Garden, values: Values, there: PresentSettings, claims: Claims): Both {
  const taken = new Map<string, string>();
  for (const { row } of there.webhooks) {
    const key = claims.keyOf('webhook', row.id);
    if (key !== undefined) taken.set(key, row.id);
  }
  const wanted = Object.entries(garden.webhooks ?? {}).map(([name, input]): WantedRecord => {
    const { url = '', events, status = 'active', secret } = resolved(input, values);
    // An endpoint with the same address is this one, unless the garden has made its own.
    const same = there.webhooks.find(({ row }) => row.url === url && !claims.keyOf('webhook', row.id));
    if (!taken.has(name) && same) taken.set(name, same.row.id);
    const secrets = secret === undefined ? {} : { secret };
    return {
      item: {
        ...{ kind: 'webhook', key: name, secrets, needs: [] },
        fields: { url, status, events: [...events].sort() },
        hidden: referenced(input),
      },
      create: { url, events, ...secrets, status } satisfies Partial<WebhookRegistration> & { status: string },
      update: (changes) => ({
        ...{ url, events, status },
        ...(isMoved(changes) ? secrets : onlyChanged(secrets, changes)),
      }),
    };
  });
  const byId = new Map(there.webhooks.map((webhook) => [webhook.row.id, webhook]));
  const present = [...taken].flatMap(([key, id]): PresentItem[] => {
    const found = byId.get(id);
    if (!found) return [];
    const { url, events, status } = found.row;
    const fields = { url, status, events: (JSON.parse(events) as string[]).sort() };
    return [{ kind: 'webhook', key, id, fields, secrets: { secret: found.secret }, settled: true }];
  });
  return { wanted, present };
}

/** Keeps the values of changed fields, so that a secret that stays the same is not rotated. */
function onlyChanged<Fields extends object>(fields: Fields, changes: readonly FieldChange[]): Partial<Fields> {
  const changed = new Set(changes.map(({ field }) => field));
  return Object.fromEntries(Object.entries(fields).filter(([name]) => changed.has(name))) as Partial<Fields>;
}

/** Another address takes all secrets of the file: the service keeps none of them for it. */
const isMoved = (changes: readonly FieldChange[]): boolean => changes.some(({ field }) => field === 'url');

const sections = { channel: 'channels', webhook: 'webhooks' } as const;

/** Reports secrets that the file leaves to the stored value although it changes the address that they are sent to. */
export function missingSecrets(
  changes: readonly Change[],
  wanted: readonly WantedRecord[],
  present: readonly PresentItem[],
): Problem[] {
  const items = new Map(wanted.map(({ item }) => [nameOf(item), item]));
  const stored = new Map(present.map((item) => [nameOf(item), item]));
  return changes.flatMap(({ kind, key, action, fields }) => {
    if (action !== 'update' || (kind !== 'channel' && kind !== 'webhook') || !isMoved(fields)) return [];
    const name = nameOf({ kind, key });
    const missing = secretsAgain({
      changed: ['url'],
      stored: Object.keys(stored.get(name)?.secrets ?? {}).filter((field) => field !== 'url'),
      input: Object.keys(items.get(name)?.secrets ?? {}),
    });
    return missing.map((field) => ({
      field: `${sections[kind]}.${key}.${field}`,
      message: 'must be given again, because url changes where it is sent',
    }));
  });
}

const removed = (changes: readonly FieldChange[]): string[] =>
  changes.flatMap(({ field, change }) => (change === 'removed' ? [field] : []));

/** Returns the fields whose values come from references. */
const referenced = (input: object): string[] =>
  Object.entries(input).flatMap(([name, value]) => (referenceIn(value) === undefined ? [] : [name]));
