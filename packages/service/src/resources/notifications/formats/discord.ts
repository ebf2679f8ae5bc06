import { detailsOf, headingOf, isOver, type Message, moreOf, textOf, titleOf } from '../message.ts';
import { cut } from '../text.ts';
import { type Format, jsonRequest } from './format.ts';

/** Limits of an embed: characters of its title and description, of all embeds together 6,000. */
const TITLE = 256;
const DESCRIPTION = 4_096;

const GREEN = 0x2e7d32;
const RED = 0xc62828;

const escaped = (text: string): string => text.replace(/[\\*_~`|>[\]()#@<-]/g, '\\$&');

export const discord: Format = ({ url = '' }, message) =>
  jsonRequest(url, {
    embeds: [
      {
        title: cut(titleOf(message), TITLE),
        description: cut(descriptionOf(message), DESCRIPTION),
        color: message.test || isOver(message) ? GREEN : RED,
        url: message.link,
        timestamp: new Date(message.at).toISOString(),
      },
    ],
    // No mention in the text calls anyone.
    allowed_mentions: { parse: [] },
  });

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
