import type { Message, MessageItem } from '../../message.ts';
import type { formats } from '../all.ts';
import type { ChannelConfig } from '../format.ts';

export const item = (title: string, text = 'Its 10 instances are not visible.'): MessageItem => ({
  phase: 'opened',
  title,
  text,
  fix: 'hortus servers show srv_1',
  since: 0,
  ended: null,
});

export const message = (...items: MessageItem[]): Message => ({
  id: 'ntf_01j9zq3v5t8x2m4n6p7r9s0abc',
  at: 0,
  items,
  more: 0,
  link: 'https://hortus.example.org',
});

export const testMessage: Message = { ...message(), test: true };

export const configs = {
  slack: { url: 'https://hooks.slack.com/services/T0/B0/x' },
  discord: { url: 'https://discord.com/api/webhooks/1/x' },
  teams: { url: 'https://example.webhook.office.com/x' },
  telegram: { token: '123:abc', chat_id: '-100200' },
  ntfy: { topic: 'alerts', token: 'tk_x' },
  gotify: { url: 'https://push.example.org/gotify/', token: 'Ax' },
  url: { url: 'https://example.org/in' },
} satisfies Record<keyof typeof formats, ChannelConfig>;

export type Type = keyof typeof configs;
export const types = Object.keys(configs) as Type[];
