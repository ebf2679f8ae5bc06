import { type TemplatePlaceholder, templatePlaceholders } from '@hortus/contract/resources/notification-channels';
import { isOver, type Message, textOf, titleOf } from '../message.ts';
import { cut } from '../text.ts';
import { type Format, jsonRequest } from './format.ts';

/** Longest body: a template may repeat its placeholders. */
const MAX_BODY_LENGTH = 64 * 1_024;
const MAX_VALUE_LENGTH = 4_000;

const placeholder = /\{\{([^{}]*)\}\}/g;

/** Returns the first name in a template that is no placeholder. */
export const unknownPlaceholder = (template: string): string | undefined =>
  [...template.matchAll(placeholder)].map(([, name = '']) => name.trim()).find((name) => !isPlaceholder(name));

const isPlaceholder = (name: string): name is TemplatePlaceholder =>
  (templatePlaceholders as readonly string[]).includes(name);

const statusOf = (message: Message): string => (message.test ? 'test' : isOver(message) ? 'resolved' : 'open');

const valuesOf = (message: Message): Readonly<Record<TemplatePlaceholder, string>> => ({
  id: message.id,
  status: statusOf(message),
  title: titleOf(message),
  text: textOf(message),
  count: String(message.items.length + message.more),
  link: message.link,
  at: new Date(message.at).toISOString(),
});

/** Replaces each placeholder once: placeholders inside a value stay text. */
export function fill(template: string, message: Message, contentType: string): string {
  const values = valuesOf(message);
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
  const encode = contentType === 'application/json' ? inJson : (text: string) => text;
  let left = MAX_BODY_LENGTH - template.length;
  return template.replace(placeholder, (whole, written: string) => {
    const name = written.trim();
    if (!isPlaceholder(name)) return whole;
    const value = encode(cut(values[name], MAX_VALUE_LENGTH));
    left -= value.length;
    return left < 0 ? '' : value;
  });
}

/** Any receiver: the body is a template of the user, or the message as JSON. */
export const anyUrl: Format = ({ url = '', headers, template, content_type = 'application/json' }, message) => {
  const own = { 'X-Service-Delivery': message.id };
  if (template === undefined) {
    const alerts = message.items.map(({ since, ended, ...item }) => ({
      ...item,
      since: new Date(since).toISOString(),
      ended: ended === null ? null : new Date(ended).toISOString(),
    }));
    const { count, ...values } = valuesOf(message);
    return jsonRequest(url, { ...values, count: Number(count), alerts }, { ...headers, ...own });
  }
  return {
    url,
    headers: { 'Content-Type': content_type, ...headers, ...own },
    body: fill(template, message, content_type),
  };
};
