import { excerpt } from './excerpt.ts';

export type Path = readonly (string | number)[];

/** A finding of a rule, located by path only. */
export interface Remark {
  severity: 'error' | 'warning';
  code: string;
  path: Path;
  message: string;
  suggestion?: string;
  /** Points at the key instead of its value, if the key itself is wrong. */
  atKey?: boolean;
  /** Points at the first occurrence of this text in the value. */
  within?: string;
}

/** A remark with its position in the text. */
export interface Finding {
  severity: 'error' | 'warning';
  code: string;
  path: string;
  line: number;
  column: number;
  message: string;
  suggestion?: string;
  file?: string;
}

export function error(code: string, path: Path, message: string, suggestion?: string): Remark {
  return { severity: 'error', code, path, message, ...(suggestion === undefined ? {} : { suggestion }) };
}

export function warning(code: string, path: Path, message: string, suggestion?: string): Remark {
  return { ...error(code, path, message, suggestion), severity: 'warning' };
}

export function pathText(path: Path): string {
  let text = '';
  for (const step of path) text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
  return text;
}

/**
 * Formats as `file:line:column: error code: message`, which editors and terminals make clickable. With the source, the
 * line follows with a mark under the position.
 */
export function formatFinding(finding: Finding, source?: string): string {
  const { file = 'template.yaml', line, column, severity, code, path, message, suggestion } = finding;
  const where = path === '' ? '' : ` (${path})`;
  const head = `${file}:${line}:${column}: ${severity} ${code}: ${message}${where}`;
  const shown = source === undefined ? undefined : excerpt(source, finding, suggestion);
  if (shown !== undefined) return `${head}\n${shown}`;
  return suggestion === undefined ? head : `${head}; ${suggestion}`;
}
