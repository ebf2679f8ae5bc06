/** Splits a text at the searched words, in any case: the parts at odd places are the words. */
export function splitAtWords(text: string, q: string): string[] {
  const words = q.split(/\s+/).filter(Boolean);
  if (words.length === 0) return [text];
  // A split with a group keeps what it split at.
  return text.split(new RegExp(`(${words.map(escaped).join('|')})`, 'gi'));
}

const escaped = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
