import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import type { Message } from '../message.ts';

/** Settings of a channel; which of them are set depends on its type. Stored sealed. */
export interface ChannelConfig {
  readonly to?: readonly string[];
  readonly url?: string;
  readonly token?: string;
  readonly chat_id?: string;
  readonly topic?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly template?: string;
  readonly content_type?: 'application/json' | 'text/plain';
}

/** A POST to the receiver. */
export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Turns a message into a request. Pure; throws nothing for a checked config. */
export type Format = (config: ChannelConfig, message: Message) => OutgoingRequest;

export const jsonRequest = (
  url: string,
  content: unknown,
  headers: Readonly<Record<string, string>> = {},
): OutgoingRequest => ({
  url,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(content),
});

/** Address below that of a server, which may have a path. */
export const below = (server: string, path: string): string => {
  const url = new URL(server);
  url.pathname = `${withoutTrailing(url.pathname, '/')}${path}`;
  return url.href;
};
