export interface TruncatedText {
  readonly text: string | null;
  readonly truncated: boolean;
}

/** Truncates a text that is already masked: truncating first could leave half of a secret. */
export function keep(text: string | null | undefined, max: number): TruncatedText {
  if (text === null || text === undefined) return { text: null, truncated: false };
  // PostgreSQL's text cannot hold the null character.
  return cut(text.replaceAll('\0', '\uFFFD'), max);
}

function cut(text: string, max: number): TruncatedText {
  // A UTF-16 unit takes at most three bytes in UTF-8.
  if (text.length * 3 <= max) return { text, truncated: false };
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= max) return { text, truncated: false };
  let end = max;
  // Do not cut within a character: continuation bytes start with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return { text: bytes.toString('utf8', 0, end), truncated: true };
}
