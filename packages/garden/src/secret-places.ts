import type { ChannelType } from '@hortus/contract/resources/notification-channels';
import type { Garden } from './format.ts';
import { referenceIn } from './references.ts';

/** Types of channels whose address is a secret by itself. */
const secretAddress: ReadonlySet<ChannelType> = new Set(['slack', 'discord', 'teams', 'url']);

/** Names of the fields of a channel that are secrets. */
export const secretChannelFields = (type: ChannelType): readonly string[] =>
  secretAddress.has(type) ? ['url', 'token', 'topic', 'headers'] : ['token', 'topic', 'headers'];

export interface Problem {
  /** Path of the field, such as `definitions.blog.inputs.SMTP_PASSWORD`. */
  readonly field: string;
  readonly message: string;
}

const literal = (field: string): Problem => ({
  field,
  message: 'secrets do not stand in a garden: use ${env.NAME}, ${file:path} or leave it out to keep the stored value',
});

/** Reports secrets that stand in the file as they are. `isSecretInput` knows the inputs of a definition's template. */
export function literalSecrets(garden: Garden, isSecretInput: (uid: string, name: string) => boolean): Problem[] {
  const found: Problem[] = [];
  const check = (field: string, value: unknown) => {
    if (value !== undefined && referenceIn(value) === undefined) found.push(literal(field));
  };
  for (const [uid, { inputs = {} }] of Object.entries(garden.definitions ?? {}))
    for (const [name, value] of Object.entries(inputs))
      if (isSecretInput(uid, name)) check(`definitions.${uid}.inputs.${name}`, value);
  for (const [host, { password }] of Object.entries(garden.registries ?? {}))
    check(`registries.${host}.password`, password);
  for (const [name, { secret }] of Object.entries(garden.webhooks ?? {})) check(`webhooks.${name}.secret`, secret);
  for (const [name, channel] of Object.entries(garden.channels ?? {})) {
    const { headers, ...fields } = channel as Record<string, unknown>;
    for (const field of secretChannelFields(channel.type)) check(`channels.${name}.${field}`, fields[field]);
    for (const [header, value] of Object.entries(headers ?? {})) check(`channels.${name}.headers.${header}`, value);
  }
  return found;
}
