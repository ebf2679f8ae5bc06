export const REMOVED = '[removed]';

/**
 * Removes our keys, page tokens of sessions, bearer tokens, passwords in URLs and the values in `hidden`. Errors carry the output of containers, so every
 * step takes linear time on any text.
 */
export const redact = (text: string, hidden: readonly string[] = []): string =>
  withoutUrlPasswords(withoutTokens(withoutValues(text, hidden)), /[^\s"]+/g);

/** The same for a line of JSON, in which a backslash begins an escaped character. */
export const redactJson = (line: string): string => withoutUrlPasswords(withoutTokens(line), /[^\s"\\]+/g);

/** Tells whether a field of this name contains a secret, whatever its value looks like. */
export const isSecretName = (name: string): boolean => exactName.test(name) || partOfName.test(name);

const exactName = /^(?:authorization|proxy-authorization|cookie|set-cookie|sec-websocket-protocol|keys?)$/i;
const partOfName = /password|passphrase|secret|api_?key|master_?key|private_?key|token/i;

/** Shorter values, such as an empty setting, would remove parts of ordinary words. */
const MIN_HIDDEN = 6;

const withoutValues = (text: string, hidden: readonly string[]): string =>
  hidden.reduce((rest, value) => (value.length < MIN_HIDDEN ? rest : rest.replaceAll(value, REMOVED)), text);

// Without \b: in a line of JSON, an escaped line break ends with a letter.
const withoutTokens = (text: string): string =>
  text
    .replace(/(h[ks]_(?:live|test)_)[A-Za-z0-9_-]{8,}/g, `$1${REMOVED}`)
    .replace(/(hpt_)[A-Za-z0-9_-]{8,}/g, `$1${REMOVED}`)
    .replace(/Bearer\s+[^\s"\\]+/gi, `Bearer ${REMOVED}`);

const withoutUrlPasswords = (text: string, words: RegExp): string =>
  text.includes('://') ? text.replace(words, withoutUrlPassword) : text;

/** Searches a word without spaces. Ends the password at the last @, because people forget to encode an earlier one. */
function withoutUrlPassword(word: string): string {
  for (let scheme = word.indexOf('://'); scheme !== -1; scheme = word.indexOf('://', scheme + 1)) {
    const mark = markAfter(word, scheme + 3);
    if (word[mark] !== ':') continue;
    const end = word.lastIndexOf('@');
    return end > mark ? `${word.slice(0, mark + 1)}${REMOVED}${word.slice(end)}` : word;
  }
  return word;
}

/** Position of the first character that ends the name of a user. Never passes the colon of the next scheme. */
function markAfter(word: string, from: number): number {
  let at = from;
  while (at < word.length && !':/@'.includes(word[at] as string)) at++;
  return at;
}
