import { excerpt } from './excerpt.ts';

export type Path = readonly (string | number)[];

/** What a rule says; it knows the place by path only. */
export interface Remark {
  severity: 'error' | 'warning';
  code: string;
  path: Path;
  message: string;
  suggestion?: string;
  /** Points at the key instead of its value, where the key itself is wrong. */
  atKey?: boolean;
  /** Points at the first place in the value that is written like this. */
  within?: string;
}

/** A remark with its place in the text. */
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
 * `file:line:column: error code: message`, the form editors and terminals make clickable; given the text it was found in,
 * the line follows with a mark under the place.
 */
export function formatFinding(finding: Finding, source?: string): string {
  const { file = 'template.yaml', line, column, severity, code, path, message, suggestion } = finding;
  const where = path === '' ? '' : ` (${path})`;
  const head = `${file}:${line}:${column}: ${severity} ${code}: ${message}${where}`;
  const shown = source === undefined ? undefined : excerpt(source, finding, suggestion);
  if (shown !== undefined) return `${head}\n${shown}`;
  return suggestion === undefined ? head : `${head}; ${suggestion}`;
}
