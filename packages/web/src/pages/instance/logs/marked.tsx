/** A text with every searched word marked. */
export function Marked({ text, q }: { text: string; q: string }) {
  const words = q.split(/\s+/).filter(Boolean);
  if (words.length === 0) return text;
  const pattern = new RegExp(`(${words.map(escaped).join('|')})`, 'gi');
  // A split with a group gives the matches at the odd places.
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no identity
  return text.split(pattern).map((part, place) => (place % 2 === 1 ? <mark key={place}>{part}</mark> : part));
}

const escaped = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
