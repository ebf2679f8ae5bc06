import { stripVTControlCharacters } from 'node:util';

/** Control characters except line break and tab, and characters that change the writing direction. */
const harmful = /(?![\n\t])\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/gu;

/** Whether a text has characters that a terminal would interpret. */
export const isHarmful = (text: string): boolean => text.search(harmful) !== -1;

/** Writes such characters as escapes of JSON and of quoted YAML, so that nothing is lost and a terminal shows them. */
export const escaped = (text: string): string =>
  text.replace(harmful, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Makes untrusted text safe for a terminal: output of a container must not move the cursor, rename the window or hide a line.
 * Unknown sequences lose at least their introducing character.
 */
export const safeText = (text: string): string =>
  stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(harmful, '');

/** Makes untrusted text safe and puts it on one line. */
export const safeLine = (text: string): string =>
  safeText(text)
    .replace(/\s+/g, (blanks) => (/[\n\t]/.test(blanks) ? ' ' : blanks))
    .trim();
