import type { ChannelCreate, ChannelType } from '@hortus/contract/resources/notification-channels';

/** A field of the form of a channel. Which ones a type has follows the contract's descriptions. */
export interface ChannelField {
  readonly name: 'to' | 'url' | 'token' | 'chat_id' | 'topic';
  readonly label: string;
  readonly help?: string;
  readonly optional?: true;
  /** Typed hidden, because it is a secret. */
  readonly secret?: true;
}

const address = (label: string, help: string): ChannelField => ({ name: 'url', label, help });
const webhook = (help: string): ChannelField => ({ ...address('Address of the incoming webhook', help), secret: true });

export const channelKinds: Readonly<
  Record<ChannelType, { readonly label: string; readonly fields: readonly ChannelField[] }>
> = {
  email: {
    label: 'Email',
    fields: [{ name: 'to', label: 'Recipients', help: 'Addresses, separated by commas.' }],
  },
  slack: { label: 'Slack', fields: [webhook('From the settings of your Slack app: Incoming Webhooks.')] },
  discord: { label: 'Discord', fields: [webhook('From the settings of the Discord channel: Integrations, Webhooks.')] },
  teams: {
    label: 'Microsoft Teams',
    fields: [webhook('From the workflow of the channel that posts on a webhook request.')],
  },
  telegram: {
    label: 'Telegram',
    fields: [
      { name: 'token', label: 'Token of the bot', secret: true, help: 'From @BotFather.' },
      { name: 'chat_id', label: 'Chat', help: 'Id of the chat, or @name of a channel.' },
    ],
  },
  ntfy: {
    label: 'ntfy',
    fields: [
      { name: 'topic', label: 'Topic' },
      { ...address('Server', 'Empty: the public one.'), optional: true },
      { name: 'token', label: 'Access token', secret: true, optional: true },
    ],
  },
  gotify: {
    label: 'Gotify',
    fields: [
      address('Server', 'Address of your Gotify.'),
      { name: 'token', label: 'Token of the application', secret: true },
    ],
  },
  url: { label: 'Any address', fields: [address('Address', 'Gets a POST with the message as JSON.')] },
};

export type Typed = Readonly<Partial<Record<ChannelField['name'], string>>>;

/** The body of the request from what was typed; empty fields are left out. */
export function channelBody(type: ChannelType, typed: Typed): Omit<ChannelCreate, 'type' | 'name'> {
  const input = channelKinds[type].fields
    .map(({ name }) => [name, typed[name]?.trim() ?? ''] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, name === 'to' ? value.split(/[\s,;]+/).filter(Boolean) : value]);
  return Object.fromEntries(input);
}
