const ACCENTS = /\p{M}/gu;

/** Splits a text into normalized words: lower-case letters and digits, without accents. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replace(ACCENTS, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
