import type { TObject } from 'typebox';
import { invalid } from '../../problem.ts';

type Values = Record<string, unknown>;

interface Field {
  readonly type?: string;
  readonly default?: unknown;
}

/**
 * Converts the texts of a query string. Each known parameter is converted to the type of its field if possible;
 * otherwise it stays a text, so that the check reports the error. Unknown parameters are dropped.
 */
export function queryReader(schema: TObject): (raw: Values) => Values {
  const fields = Object.entries(schema.properties as Record<string, Field>);
  return (raw) => {
    const values: Values = {};
    for (const [name, field] of fields) {
      const input = raw[name];
      if (input === undefined) {
        if (field.default !== undefined) values[name] = field.default;
      } else if (field.type === 'array') {
        values[name] = Array.isArray(input) ? input : [input];
      } else {
        if (typeof input !== 'string') throw invalid(name, 'must be given only once.');
        values[name] = typed(input, field.type);
      }
    }
    return values;
  };
}

function typed(text: string, type: string | undefined): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'number' && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
