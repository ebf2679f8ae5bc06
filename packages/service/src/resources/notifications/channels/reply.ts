import type { ChannelTest } from '@hortus/contract/resources/notification-channels';
import { maskOf } from '@hortus/template/masking/masking';
import type { ChannelConfig } from '../formats/format.ts';
import { clean } from '../text.ts';
import type { SentReply } from './sending.ts';

const MAX_REPLY_LENGTH = 500;
const MIN_SECRET_LENGTH = 4;
/** Shorter parts of a path or a template are words such as `services`. */
const MIN_PART_LENGTH = 10;

/** Describes the reply of a receiver, without the secrets of the channel, which it may repeat. */
export async function replyOf(
  config: ChannelConfig,
  { status, error, text, durationMs }: SentReply,
): Promise<ChannelTest> {
  const delivered = status !== null && status >= 200 && status < 300;
  const shown = text === undefined || text === '' ? null : await hide(text, secretsOf(config));
  return {
    delivered,
    response_code: status,
    reply: shown === null ? null : clean(shown, MAX_REPLY_LENGTH),
    error: delivered ? null : (error ?? `the receiver answered ${status}`),
    duration_ms: durationMs,
  };
}

function secretsOf({ url, token, topic, headers = {}, template = '' }: ChannelConfig): string[] {
  const { pathname, search, username, password } = url === undefined ? NOWHERE : new URL(url);
  const values = Object.values(headers);
  const whole = [url, token, topic, pathname, search, password, ...values];
  // Receivers repeat parts: a token without its scheme, one field of a body, one parameter of an address.
  const parts = [pathname, search, username, ...values, template].flatMap((value) => value.split(BETWEEN_PARTS));
  return [
    ...whole.filter((value) => value !== undefined && value.length >= MIN_SECRET_LENGTH),
    ...parts.filter(({ length }) => length >= MIN_PART_LENGTH),
  ] as string[];
}

const NOWHERE = { pathname: '', search: '', username: '', password: '' };
/** Whatever separates values in addresses, headers, JSON and forms. */
const BETWEEN_PARTS = /[^A-Za-z0-9._~+-]+/;

/** Also in their usual encodings, which a receiver that repeats a request uses. Short ones only as they are. */
async function hide(text: string, secrets: readonly string[]): Promise<string> {
  const mask = await maskOf(secrets);
  const short = secrets.toSorted((a, b) => b.length - a.length);
  return short.reduce((shown, secret) => shown.replaceAll(secret, '***'), await mask(text));
}
