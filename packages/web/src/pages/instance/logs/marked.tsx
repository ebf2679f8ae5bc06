import { splitAtWords } from './marked-words.ts';

/** A text with every searched word marked. */
export function Marked({ text, q }: { text: string; q: string }) {
  return splitAtWords(text, q).map((part, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no identity
    place % 2 === 1 ? <mark key={place}>{part}</mark> : part,
  );
}
