/** Token to underline: a quoted string, one reference, or a word up to a YAML delimiter. */
const TOKEN = /^("(?:[^"\\]|\\.)*"|'[^']*'|\$\{[^}]*\}|[^\s,:[\]{}#]+)/;
/** Maximum number of characters shown of a line. */
const WIDEST = 120;

/**
 * Returns the line of a position with a mark under it, as compilers show it; undefined if the text has no such line.
 */
export function excerpt(text: string, at: { line: number; column: number }, note = ''): string | undefined {
  const whole = text.split(/\r?\n/)[at.line - 1];
  if (whole === undefined || whole.trim() === '') return undefined;
  const from = at.column > WIDEST ? at.column - WIDEST / 2 : 0;
  const before = whole.slice(from, at.column - 1);
  const rest = whole.slice(at.column - 1, from + WIDEST);
  const more = whole.length > from + WIDEST ? '…' : '';
  const number = String(at.line);
  const gutter = ' '.repeat(number.length);
  // Keep tabs, so that the mark is aligned at any tab width.
  const space = `${from > 0 ? ' ' : ''}${before.replace(/[^\t]/g, ' ')}`;
  const mark = '^'.repeat(Math.max(1, TOKEN.exec(rest)?.[0].length ?? 1));
  const line = `  ${number} | ${from > 0 ? '…' : ''}${before}${rest}${more}`;
  return `${line}\n  ${gutter} | ${space}${mark}${note === '' ? '' : ` ${note}`}`;
}
