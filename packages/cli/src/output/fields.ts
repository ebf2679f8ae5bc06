import { Failure } from '../failure.ts';
import type { Format } from '../world/terminal.ts';
import { safeLine } from './safe-text.ts';
import { table } from './table.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Prints the chosen fields: aligned with a heading on a terminal, and separated by tabs for a program. */
export function fieldsFormat(fields: readonly string[]): Format {
  const line = (row: unknown) => `${fields.map((field) => textOf(valueAt(row, field))).join('\t')}\n`;
  return {
    document(value, terminal) {
      const rows = Array.isArray(value) ? value : [value];
      for (const field of fields) checkField(rows, field);
      if (!terminal.live) return rows.map(line).join('');
      const columns = fields.map((title) => ({ title, text: (row: unknown) => textOf(valueAt(row, title)) }));
      return rows.length === 0 ? '' : table(terminal, columns, rows);
    },
    item(value) {
      for (const field of fields) checkField([value], field);
      return line(value);
    },
  };
}

const valueAt = (row: unknown, field: string): unknown =>
  field.split('.').reduce<unknown>((value, part) => (isObject(value) ? value[part] : undefined), row);

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return safeLine(value.join(','));
  return safeLine(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Refuses a field that no row has; a row may lack an optional one. */
function checkField(rows: readonly unknown[], field: string): void {
  let found = rows.filter(isObject);
  const path: string[] = [];
  for (const part of field.split('.')) {
    if (found.length === 0) return;
    const known = [...new Set(found.flatMap((row) => Object.keys(row)))];
    path.push(part);
    if (!known.includes(part))
      throw new Failure('usage', `There is no field ${path.join('.')}.`, {
        hint: `Fields: ${known.map((name) => [...path.slice(0, -1), name].join('.')).join(', ')}.`,
      });
    found = found.map((row) => row[part]).filter(isObject);
  }
}
