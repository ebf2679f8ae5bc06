import { detailsOf, headingOf, type Message, moreOf, textOf, titleOf } from '../message.ts';
import { fitting } from './fitting.ts';
import { type Format, jsonRequest } from './format.ts';

/** Limit of Block Kit for the characters of a section. */
const SECTION = 3_000;
/** Slack refuses messages whose blocks together exceed about 13,000 characters, although no document says so. */
const ALL_SECTIONS = 12_000;

/** Slack reads mentions such as <!channel> and links between angle brackets. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Plain text has neither formatting nor emoji codes, so names stay as they are. */
const section = (text: string) => ({
  type: 'section',
  text: { type: 'plain_text', text: escaped(text), emoji: false },
});

const linkTo = (address: string) => ({
  type: 'section',
  text: { type: 'mrkdwn', text: `<${escaped(address)}>`, verbatim: true },
});

export const slack: Format = ({ url = '' }, message) => jsonRequest(url, fitting(message, contentOf, fits));

const contentOf = (message: Message) => ({
  // Shown in notifications instead of the blocks.
  text: escaped(titleOf(message)),
  mrkdwn: false,
  unfurl_links: false,
  blocks: [...sectionsOf(message).map(section), linkTo(message.link)],
});

function fits({ blocks }: ReturnType<typeof contentOf>): boolean {
  const lengths = blocks.map(({ text }) => text.text.length);
  return Math.max(...lengths) <= SECTION && lengths.reduce((sum, length) => sum + length, 0) <= ALL_SECTIONS;
}

function sectionsOf(message: Message): string[] {
  if (message.test) return [`${titleOf(message)}\n${textOf(message)}`];
  const items = message.items.map((item) => [headingOf(item), ...detailsOf(item)].join('\n'));
  const more = moreOf(message);
  return [...items, ...(more === undefined ? [] : [more])];
}
