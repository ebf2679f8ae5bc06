import { stripVTControlCharacters } from 'node:util';

/** Control characters but for line break and tab, and those that turn the direction of writing. */
const harmful = /(?![\n\t])\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/gu;

/**
 * Several lines of somebody else's text. What a container wrote must not move the cursor, rename the window or hide a
 * line; whatever sequence is not known loses at least the character that makes it one.
 */
export const safeText = (text: string): string =>
  stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(harmful, '');

/** The same on one line. */
export const safeLine = (text: string): string =>
  safeText(text)
    .replace(/\s*[\n\t]\s*/g, ' ')
    .trim();
