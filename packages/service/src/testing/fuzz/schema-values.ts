import fc from 'fast-check';
import type { TSchema } from 'typebox';
import type { Dice } from './dice.ts';

/** The subset of JSON Schema that the contract uses. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

const words = ['moss', 'fern', 'x', 'Ünï', 'a b', '0', 'true', 'null', 'blog.example.org', 'inkwell', '🌱', 'A_B-c.d'];
const formats: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2030-01-31T12:00:00Z', '1970-01-01T00:00:00.000Z', '2026-02-28T23:59:59+14:00'],
  uri: ['https://hooks.example.org/x', 'http://127.0.0.1:9/hooks', 'https://[2001:db8::1]/?q=%00#f'],
  email: ['fern@example.org'],
};

/** Returns a value that the schema nearly always accepts; the service checks rules beyond the schema itself. */
export function sampleOf(overrides: TSchema, dice: Dice): unknown {
  const schema = overrides as Schema;
  if ('const' in schema) return schema.const;
  if (schema.enum) return dice.of(schema.enum);
  if (schema.anyOf) return sampleOf(dice.of(schema.anyOf), dice);
  switch (schema.type) {
    case 'string':
      return stringOf(schema, dice);
    case 'integer':
      return numberOf(schema, dice);
    case 'number':
      return dice.oneIn(2) ? numberOf(schema, dice) : (schema.minimum ?? 0) + dice.next();
    case 'boolean':
      return dice.oneIn(2);
    case 'null':
      return null;
    case 'array':
      return arrayOf(schema, dice);
    case 'object':
      return objectOf(schema, dice);
    default:
      return dice.of<unknown>([null, 1, 'x', {}, []]);
  }
}

function stringOf({ pattern, format, minLength = 0, maxLength = 200 }: Schema, dice: Dice): string {
  if (format !== undefined && formats[format]) return dice.of(formats[format]);
  if (pattern !== undefined) {
    const [text = ''] = fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 1, seed: dice.seed() });
    return text.slice(0, maxLength);
  }
  // Prefer the limits, where mistakes are likely.
  const length = dice.of([minLength, Math.max(minLength, 1), Math.min(maxLength, 300), dice.between(minLength, 20)]);
  const word = dice.of(words);
  return word.repeat(Math.ceil(Math.max(length, 1) / word.length)).slice(0, Math.max(length, minLength));
}

function numberOf({ minimum = -1000, maximum = 1_000_000 }: Schema, dice: Dice): number {
  return dice.of([minimum, maximum, dice.between(minimum, Math.min(maximum, minimum + 1000))]);
}

function arrayOf({ items, minItems = 0, uniqueItems }: Schema, dice: Dice): unknown[] {
  const values = Array.from({ length: minItems + dice.between(0, 3) }, () => (items ? sampleOf(items, dice) : null));
  return uniqueItems ? [...new Set(values)] : values;
}

function objectOf(schema: Schema, dice: Dice): object {
  const { properties = {}, patternProperties = {}, required = [] } = schema;
  const value: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    if (required.includes(name) || dice.oneIn(2)) value[name] = sampleOf(property, dice);
  }
  for (const [pattern, property] of Object.entries(patternProperties)) {
    for (let i = dice.between(0, 3); i > 0; i--) {
      value[stringOf({ pattern, maxLength: 128 }, dice)] = sampleOf(property, dice);
    }
  }
  return value;
}
