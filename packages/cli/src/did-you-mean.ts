import { nearest } from '@hortus/template/schema/nearest';

/** Puts the word that was probably meant before a hint. */
export function withSuggestion(input: string, known: Iterable<string>, hint: string): string {
  const found = nearest(input, known);
  return found === undefined ? hint : `Did you mean ${found}? ${hint}`;
}
