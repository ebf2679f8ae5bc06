/** A line of an env file. */
export interface EnvLine {
  readonly key: string;
  readonly value: string;
  /** Whether `$` has no meaning in it, as within single quotes. */
  readonly literal: boolean;
}

/** Reads an env file as Compose does: `KEY=value`, quotes, comments, and `export` before the key. */
export function envLines(content: string): EnvLine[] {
  return content.split(/\r?\n/).flatMap((line): EnvLine[] => {
    const found = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=([\s\S]*)$/.exec(line);
    if (found === null) return [];
    const [, key = '', after = ''] = found;
    const written = after.trim();
    const single = /^'([^']*)'\s*(?:#.*)?$/.exec(written);
    if (single) return [{ key, value: single[1] ?? '', literal: true }];
    const double = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(written);
    return [{ key, value: double ? unescaped(double[1] ?? '') : withoutComment(written), literal: false }];
  });
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

const unescaped = (text: string): string => text.replace(/\\(.)/g, (_, sign: string) => ESCAPED[sign] ?? sign);

/** Searches for one blank before `#`; a pattern for any number of blanks would backtrack on long runs. */
function withoutComment(written: string): string {
  if (written.startsWith('#')) return '';
  const comment = written.search(/\s#/);
  return comment < 0 ? written : written.slice(0, comment).trimEnd();
}
