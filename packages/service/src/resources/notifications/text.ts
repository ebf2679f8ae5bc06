/**
 * Makes a name or text of users fit for one line of a message: without control characters, line breaks and characters
 * that change the direction of writing.
 */
export const clean = (text: string, most: number): string =>
  cut(
    text
      .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
      .trim(),
    most,
  );

/** Shortens a text to so many UTF-16 units, without cutting a character in two. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Shortens a text to so many bytes of UTF-8. */
export function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const kept = Buffer.from(text).subarray(0, most - Buffer.byteLength('…'));
  // A character that was cut in two decodes to U+FFFD.
  return `${kept.toString().replace(/\ufffd+$/, '')}…`;
}
