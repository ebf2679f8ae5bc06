import { detailsOf, headingOf, type Message, moreOf, textOf, titleOf } from '../message.ts';
import { cut } from '../text.ts';
import { type Format, jsonRequest } from './format.ts';

/** Limits of Block Kit: characters of a section, and of the fallback text that notifications show. */
const SECTION = 3_000;
const FALLBACK = 1_000;

/** Slack reads mentions such as <!channel> and links between angle brackets. */
const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Escaped text must not be cut inside an entity, so it is cut before. */
const fitting = (text: string, most: number): string => {
  for (let length = most; ; length = Math.floor(length * 0.8)) {
    const escaped = escapeText(cut(text, length));
    if (escaped.length <= most) return escaped;
  }
};

const section = (text: string) => ({
  type: 'section',
  // verbatim: Slack looks for no names and channels in the text.
  text: { type: 'mrkdwn', text: fitting(text, SECTION), verbatim: true },
});

export const slack: Format = ({ url = '' }, message) =>
  jsonRequest(url, {
    text: fitting(titleOf(message), FALLBACK),
    unfurl_links: false,
    blocks: sectionsOf(message).map(section),
  });

function sectionsOf(message: Message): string[] {
  if (message.test) return [`${titleOf(message)}\n${textOf(message)}`];
  const items = message.items.map((item) => [headingOf(item), ...detailsOf(item)].join('\n'));
  const more = moreOf(message);
  return [...items, ...(more === undefined ? [] : [more]), message.link];
}
