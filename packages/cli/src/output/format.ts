import { Failure } from '../failure.ts';
import type { Format } from '../world/terminal.ts';
import { fieldsFormat } from './fields.ts';
import { jsonFormat } from './json.ts';
import { handleOf } from './record-name.ts';
import { safeLine } from './safe-text.ts';

const rowsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const nameFormat: Format = {
  document: (value) => rowsOf(value).map(nameFormat.item).join(''),
  item: (value) => `${safeLine(handleOf(value))}\n`,
};

/** Reads the value of -o: json, yaml, name, or a list of fields. */
export async function formatOf(input: string): Promise<Format> {
  if (input === 'json') return jsonFormat;
  if (input === 'name') return nameFormat;
  // Loaded when needed, because it is larger than the rest of the program.
  if (input === 'yaml') return (await import('./yaml.ts')).yamlFormat;
  const fields = input.split(',').map((field) => field.trim());
  if (!fields.every((field) => /^\w[\w.-]*$/.test(field)))
    throw new Failure('usage', '-o must be json, yaml, name, or fields such as name,status.');
  return fieldsFormat(fields);
}
