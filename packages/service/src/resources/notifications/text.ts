/**
 * Makes a name or text of users fit for one line of a message: without control characters, line breaks and characters
 * that change the direction of writing.
 */
export const clean = (text: string, max: number): string =>
  cut(
    text
      .toWellFormed()
      .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
      .trim(),
    max,
  );

/** Shortens a text to so many UTF-16 units, without cutting a character in two. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
