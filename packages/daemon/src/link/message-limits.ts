/** Bytes of a message; the largest ones are orders of actions with their parameters, which a request limits to 1 MiB. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** JSON values of a message, as in the body of a request. */
const MAX_VALUES = 20_000;

const [QUOTE, BACKSLASH] = [34, 92];
/** Each value but the first follows one of these. */
const [ARRAY, OBJECT, COMMA] = [91, 123, 44];

/** Counts before parsing, because parsing would hold the event loop. */
export function hasTooManyValues(json: string): boolean {
  let values = 1;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if ((code === COMMA || code === ARRAY || code === OBJECT) && ++values > MAX_VALUES) return true;
  }
  return false;
}

/** Returns the place of the closing quote; the length of the text if there is none. */
function endOfString(json: string, begin: number): number {
  for (let end = json.indexOf('"', begin + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let slashes = end;
    while (json.charCodeAt(slashes - 1) === BACKSLASH) slashes--;
    if ((end - slashes) % 2 === 0) return end;
  }
  return json.length;
}
