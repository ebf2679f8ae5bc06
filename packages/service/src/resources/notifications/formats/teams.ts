import { detailsOf, headingOf, isOver, type Message, moreOf, textOf, titleOf } from '../message.ts';
import { fitting } from './fitting.ts';
import { type Format, jsonRequest } from './format.ts';

/** Teams refuses messages of more than 28 KB by its documents, and some of more than 21 KB. */
const MAX_BODY_LENGTH = 20_000;

/** Text blocks understand Markdown; mentions need entities, which a card of ours never has. */
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replace(/[\\*_`[\]()#~|-]/g, '\\$&')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

const block = (text: string, more: object = {}) => ({ type: 'TextBlock', text: escaped(text), wrap: true, ...more });

export const teams: Format = ({ url = '' }, message) =>
  jsonRequest(
    url,
    fitting(message, contentOf, (content) => Buffer.byteLength(JSON.stringify(content)) <= MAX_BODY_LENGTH),
  );

/** An Adaptive Card, as workflows that receive webhooks expect it. */
const contentOf = (message: Message) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          block(titleOf(message), {
            weight: 'Bolder',
            size: 'Medium',
            color: message.test || isOver(message) ? 'Good' : 'Attention',
          }),
          ...blocksOf(message),
        ],
        actions: [{ type: 'Action.OpenUrl', title: 'Open Hortus', url: message.link }],
      },
    },
  ],
});

function blocksOf(message: Message): object[] {
  if (message.test) return [block(textOf(message))];
  const single = message.items.length === 1 && message.more === 0;
  const items = message.items.flatMap((item) => [
    ...(single ? [] : [block(headingOf(item), { weight: 'Bolder', spacing: 'Medium' })]),
    block(detailsOf(item).join(' ')),
  ]);
  const more = moreOf(message);
  return [...items, ...(more === undefined ? [] : [block(more)])];
}
