import { detailsOf, headingOf, isOver, type Message, moreOf, textOf, titleOf } from '../message.ts';
import { cut } from '../text.ts';
import { type Format, jsonRequest } from './format.ts';

/** Teams refuses messages of more than 28 KB; ten items of this size stay below, even if every character is escaped. */
const BLOCK = 400;

/** Text blocks understand Markdown; mentions need entities, which a card of ours never has. */
const escaped = (text: string): string =>
  text
    .replace(/[\\*_`[\]()#~|-]/g, '\\$&')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

const block = (text: string, more: object = {}) => ({
  type: 'TextBlock',
  text: escaped(cut(text, BLOCK)),
  wrap: true,
  ...more,
});

/** An Adaptive Card, as workflows that receive webhooks expect it. */
export const teams: Format = ({ url = '' }, message) =>
  jsonRequest(url, {
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
