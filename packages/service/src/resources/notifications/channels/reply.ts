import type { ChannelTest } from '@hortus/contract/resources/notification-channels';
import type { ChannelConfig } from '../formats/format.ts';
import { clean } from '../text.ts';
import type { SentReply } from './sending.ts';

const MAX_REPLY_LENGTH = 500;
const MIN_SECRET_LENGTH = 4;
/** Shorter parts of a path are words such as `services`. */
const MIN_SEGMENT_LENGTH = 10;

/** Describes the reply of a receiver, without the secrets of the channel, which it may repeat. */
export function replyOf(config: ChannelConfig, { status, error, text, durationMs }: SentReply): ChannelTest {
  const delivered = status !== null && status >= 200 && status < 300;
  return {
    delivered,
    response_code: status,
    reply: text === undefined || text === '' ? null : clean(hide(text, secretsOf(config)), MAX_REPLY_LENGTH),
    error: delivered ? null : (error ?? `the receiver answered ${status}`),
    duration_ms: durationMs,
  };
}

function secretsOf({ url, token, topic, headers = {} }: ChannelConfig): string[] {
  const path = url === undefined ? '' : new URL(url).pathname;
  const segments = path.split('/').filter(({ length }) => length >= MIN_SEGMENT_LENGTH);
  return [url, token, topic, path, ...segments, ...Object.values(headers)].filter(
    (text): text is string => text !== undefined && text.length >= MIN_SECRET_LENGTH,
  );
}

/** Longer secrets first, because a shorter one may be part of them. */
const hide = (text: string, secrets: readonly string[]): string =>
  secrets.toSorted((a, b) => b.length - a.length).reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
