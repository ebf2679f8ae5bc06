/**
 * Removes the character at the end, however often it is there. Linear, unlike `/x+$/`, which tries again from each character
 * of a long run that does not end the text.
 */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** Removes the character at both ends. */
export function trimmed(text: string, character: string): string {
  const before = withoutTrailing(text, character);
  let start = 0;
  while (start < before.length && before[start] === character) start++;
  return before.slice(start);
}
