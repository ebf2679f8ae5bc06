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

/** `file:line:column: error code: message`, the form editors and terminals make clickable. */
export function formatFinding(finding: Finding): string {
  const { file = 'template.yaml', line, column, severity, code, path, message, suggestion } = finding;
  const where = path === '' ? '' : ` (${path})`;
  const hint = suggestion === undefined ? '' : `; ${suggestion}`;
  return `${file}:${line}:${column}: ${severity} ${code}: ${message}${where}${hint}`;
}
