import { nearest } from '@hortus/template/nearest';

/** Puts the word that was probably meant before a hint. */
export function meant(given: string, known: Iterable<string>, hint: string): string {
  const found = nearest(given, known);
  return found === undefined ? hint : `Did you mean ${found}? ${hint}`;
}
