/** Marks the position of an expected finding in a fixture. */
const MARK = '▸';

/** Returns the text without its mark, and the position of the mark. */
export function marked(text: string): { text: string; at: { line: number; column: number } } {
  const [before = '', after, more] = text.split(MARK);
  if (after === undefined || more !== undefined) throw new Error('The fixture must have exactly one mark.');
  const lines = before.split('\n');
  return { text: before + after, at: { line: lines.length, column: (lines.at(-1) ?? '').length + 1 } };
}
