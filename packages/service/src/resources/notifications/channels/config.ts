import type { ChannelType } from '@hortus/contract/resources/notification-channels';
import type { AddressChange } from '@hortus/contract/runtime/secrets-again';
import { invalid } from '../../../problem.ts';
import type { Queries, Tx } from '../../../storage/storage.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { ChannelConfig } from '../formats/format.ts';
import { unknownPlaceholder } from '../formats/url.ts';
import type { ChannelRow } from './store.ts';

type Field = keyof ChannelConfig;

/** Fields of each type of channel: those it needs, and those it may have. */
const fields: Readonly<Record<ChannelType, { readonly needs: readonly Field[]; readonly may: readonly Field[] }>> = {
  email: { needs: ['to'], may: [] },
  slack: { needs: ['url'], may: [] },
  discord: { needs: ['url'], may: [] },
  teams: { needs: ['url'], may: [] },
  telegram: { needs: ['token', 'chat_id'], may: ['url'] },
  ntfy: { needs: ['topic'], may: ['url', 'token'] },
  gotify: { needs: ['url', 'token'], may: [] },
  url: { needs: ['url'], may: ['headers', 'template', 'content_type'] },
};

/** Headers that the connection needs; another value would change where or how the request is sent. */
const reserved =
  /^(?:host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive|proxy-.*)$/i;

const allFields: readonly Field[] = ['to', 'url', 'token', 'chat_id', 'topic', 'headers', 'template', 'content_type'];

/** Takes the settings of a channel out of a request. */
export function configOf(input: ChannelConfig): ChannelConfig {
  const entries = allFields.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]]));
  return Object.fromEntries(entries) as ChannelConfig;
}

/** Throws if the settings do not fit the type. The address itself is checked by `checkUrl`. */
export function checkConfig(type: ChannelType, config: ChannelConfig): void {
  const { needs, may } = fields[type];
  for (const name of needs) if (config[name] === undefined) throw invalid(name, `is required for type ${type}.`);
  for (const name of Object.keys(config) as Field[])
    if (!needs.includes(name) && !may.includes(name)) throw invalid(name, `is not used by type ${type}; omit it.`);
  for (const name of Object.keys(config.headers ?? {}))
    if (reserved.test(name)) throw invalid('headers', `${name} is set by the service; omit it.`);
  const unknown = config.template === undefined ? undefined : unknownPlaceholder(config.template);
  if (unknown !== undefined)
    throw invalid('template', `{{${unknown.slice(0, 40)}}} is no placeholder; see docs/notifications.md.`);
}

/** Fields that are sent to the address and that no response shows: the body of a request may contain a token too. */
const sentSecrets: readonly Field[] = ['token', 'topic', 'headers', 'template'];

/** What a change of settings means for the stored secrets. */
export const addressChange = (before: ChannelConfig, after: ChannelConfig, input: ChannelConfig): AddressChange => ({
  changed: before.url === after.url ? [] : ['url'],
  stored: sentSecrets.filter((name) => before[name] !== undefined && after[name] !== undefined),
  input: Object.keys(input),
});

/** Describes the target without secrets: the path of a webhook address is one. */
export function targetOf(type: ChannelType, { to = [], url, chat_id, topic }: ChannelConfig): string {
  const host = url === undefined ? undefined : new URL(url).host;
  switch (type) {
    case 'email':
      return to.join(', ');
    case 'telegram':
      return `chat ${chat_id} at ${host ?? 'api.telegram.org'}`;
    case 'ntfy':
      // Everyone who knows the name of a topic can read it.
      return `${topic?.slice(0, 2)}… at ${host ?? 'ntfy.sh'}`;
    default:
      return host ?? '';
  }
}

/** Binds the ciphertext to its channel: copied to another row it does not decrypt. */
const place = (id: string): string => `notification channel ${id}`;

type Named = Pick<ChannelRow, 'id' | 'account_id'>;

export const sealConfig = (vault: Pick<Vault, 'encrypt'>, tx: Tx, channel: Named, config: ChannelConfig) =>
  vault.encrypt(tx, channel.account_id, JSON.stringify(config), place(channel.id));

export const openConfig = async (
  vault: Pick<Vault, 'decrypt'>,
  queries: Queries,
  { id, account_id, config }: Named & Pick<ChannelRow, 'config'>,
): Promise<ChannelConfig> => JSON.parse(await vault.decrypt(queries, account_id, config, place(id)));
