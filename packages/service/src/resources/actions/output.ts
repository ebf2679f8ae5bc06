/** Bytes that are kept of the output of an execution. */
export const KEPT_BYTES = 1_048_576;

export interface Kept {
  readonly text: string | null;
  readonly truncated: boolean;
}

/** Cuts a text that is masked already: a cut before masking could leave half of a secret. */
export function keep(text: string | null | undefined, most: number): Kept {
  if (text === null || text === undefined) return { text: null, truncated: false };
  // PostgreSQL's text cannot hold the null character.
  return cut(text.replaceAll('\0', '\uFFFD'), most);
}

function cut(text: string, most: number): Kept {
  // No unit of a string makes more than three bytes.
  if (text.length * 3 <= most) return { text, truncated: false };
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= most) return { text, truncated: false };
  let end = most;
  // Not within a character: its later bytes begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return { text: bytes.toString('utf8', 0, end), truncated: true };
}
