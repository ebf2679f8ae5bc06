import { detailsOf, headingOf, isOver, type Message, moreOf, textOf, titleOf } from '../message.ts';
import { fitting } from './fitting.ts';
import { type Format, jsonRequest } from './format.ts';

/** Limits of an embed: characters of its title and description; of all embeds together 6,000. */
const TITLE = 256;
const DESCRIPTION = 4_096;

const GREEN = 0x2e7d32;
const RED = 0xc62828;

const escaped = (text: string): string => text.replace(/[\\*_~`|>[\]()#@<-]/g, '\\$&');

export const discord: Format = ({ url = '' }, message) =>
  jsonRequest(url, {
    embeds: [fitting(message, embedOf, fits)],
    // No mention in the text calls anyone.
    allowed_mentions: { parse: [] },
  });

const embedOf = (message: Message) => ({
  title: escaped(titleOf(message)),
  description: descriptionOf(message),
  color: message.test || isOver(message) ? GREEN : RED,
  url: message.link,
  timestamp: new Date(message.at).toISOString(),
});

const fits = ({ title, description }: ReturnType<typeof embedOf>): boolean =>
  title.length <= TITLE && description.length <= DESCRIPTION;

function descriptionOf(message: Message): string {
  if (message.test) return escaped(textOf(message));
  const single = message.items.length === 1 && message.more === 0;
  const items = message.items.map((item) => {
    const details = detailsOf(item).map(escaped).join('\n');
    return single ? details : `**${escaped(headingOf(item))}**\n${details}`;
  });
  const more = moreOf(message);
  return [...items, ...(more === undefined ? [] : [escaped(more)])].join('\n\n');
}
