import type { Message } from '../message.ts';
import { cut } from '../text.ts';

const MIN_LENGTH = 20;
/** Lengths to which titles and texts are cut, one after the other, until the message fits. */
const LENGTHS = [300, 150, 80, 40, MIN_LENGTH];

/**
 * Renders a message within the limits of a receiver, which would refuse a longer one for good. Titles and texts are
 * shortened first; then alerts are counted instead of shown. What to do, the count and the link stay whole.
 */
export function fitting<Rendered>(
  message: Message,
  render: (message: Message) => Rendered,
  fits: (rendered: Rendered) => boolean,
): Rendered {
  let rendered = render(message);
  for (const length of LENGTHS) {
    if (fits(rendered)) return rendered;
    rendered = render(shortened(message, length));
  }
  for (let shown = message.items.length - 1; shown > 0 && !fits(rendered); shown--)
    rendered = render(shortened(first(message, shown), MIN_LENGTH));
  return rendered;
}

const shortened = (message: Message, length: number): Message => ({
  ...message,
  items: message.items.map((item) => ({ ...item, title: cut(item.title, length), text: cut(item.text, length) })),
});

const first = (message: Message, shown: number): Message => ({
  ...message,
  items: message.items.slice(0, shown),
  more: message.more + message.items.length - shown,
});
