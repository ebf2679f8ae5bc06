import type { JsonSchema } from '../document.ts';
import { fieldValues, mapKeys, recordValues, usualStates } from './field-values.ts';

type Schemas = Readonly<Record<string, JsonSchema>>;

/**
 * Builds an example value of a schema of the document: its own `examples` first, then the value that the table has for a field of
 * this name, then the constraints of the schema. The same schema always gives the same value.
 */
export function exampleOf(schema: JsonSchema, schemas: Schemas, field = '', record = ''): unknown {
  const name = schema.$ref?.split('/').at(-1);
  const whole = name === undefined ? schema : (schemas[name] ?? {});
  if (whole.examples !== undefined) return whole.examples[0];
  if ('const' in whole) return whole.const;
  if (whole.enum) return usualStates.find((state) => whole.enum?.includes(state)) ?? whole.enum[0];
  const known = [...(recordValues[`${record}.${field}`] ?? []), ...(fieldValues[field] ?? [])];
  for (const value of known) if (matches(value, whole)) return value;
  if (whole.anyOf) return exampleOf(whole.anyOf[0] ?? {}, schemas, field, record);
  if (whole.prefixItems) return whole.prefixItems.map((part) => exampleOf(part, schemas, field, record));
  if (whole.items) return [exampleOf(whole.items, schemas, field, record)];
  if (whole.patternProperties) return mapOf(whole.patternProperties, schemas, field);
  if (whole.properties) {
    return Object.fromEntries(
      Object.entries(whole.properties).map(([key, part]) => [key, exampleOf(part, schemas, key, name ?? field)]),
    );
  }
  return scalar(whole, field);
}

/** A map has one entry, whose key says what its keys are. */
function mapOf(patterns: Readonly<Record<string, JsonSchema>>, schemas: Schemas, field: string): unknown {
  return Object.fromEntries(
    Object.entries(patterns).map(([, part]) => [mapKeys[field] ?? 'name', exampleOf(part, schemas, field)]),
  );
}

const isNull = (schema: JsonSchema) => typesOf(schema).includes('null');
const typesOf = ({ type, anyOf = [] }: JsonSchema): string[] =>
  type === undefined ? anyOf.flatMap(typesOf) : typeof type === 'string' ? [type] : [...type];

/** Whether a value of the table fits a field: fields of one name have several types. */
function matches(value: unknown, schema: JsonSchema): boolean {
  if (value === null) return isNull(schema);
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  if (typeof value === 'number' && (value < (minimum ?? value) || value > (maximum ?? value))) return false;
  if (schema.pattern !== undefined || schema.format !== undefined) return false;
  if (schema.items || schema.properties || schema.patternProperties) return false;
  const types = typesOf(schema);
  if (types.length === 0 && schema.anyOf === undefined) return true;
  return types.some((type) => {
    if (type === 'integer') return Number.isInteger(value);
    return type === typeof value;
  });
}

/** Characters behind the prefix of an id; they sort by time, as those of real ids do. */
const ID_CHARACTERS = '01k9x3v7m5q8w2c4n6p0r1t3yz';
const idPrefix = /^\^([a-z]{3})_\[0-9a-z\]\{26\}\$$/;

/** Values of patterns that are no ids, such as a digest. */
const patternValues: Readonly<Record<string, string>> = {
  '^sha256:[0-9a-f]{64}$': `sha256:${'9f86d081884c7d65'.repeat(4)}`,
  '^[0-9a-f]{64}$': '9f86d081884c7d65'.repeat(4),
  '^[0-9a-f]{16}$': '9f86d081884c7d65',
  '^[A-Za-z0-9_-]{22,64}$': 'bXfK2qT0vZ8nR5cW1yHd7sLg',
  '^\\d{1,16}$': '1763460000000',
};

function scalar(schema: JsonSchema, field: string): unknown {
  const [type] = typesOf(schema);
  if (type === 'boolean') return schema.default ?? false;
  if (type === 'integer' || type === 'number') return schema.default ?? schema.minimum ?? 1;
  if (type === 'array') return [];
  if (type === 'object') return {};
  if (type === 'null') return null;
  if (schema.format === 'date-time')
    return laterTime.test(field) ? '2026-11-17T09:31:05.000Z' : '2026-11-17T09:30:00.000Z';
  const { pattern } = schema as { pattern?: string };
  if (pattern === undefined) return field.replaceAll('_', ' ') || 'text';
  const id = idPrefix.exec(pattern);
  return id ? `${id[1]}_${ID_CHARACTERS}` : (patternValues[pattern] ?? field.replaceAll(/[^a-z0-9]/g, '-'));
}

/** Fields whose time is after that of the creation. */
const laterTime = /^(updated|finished|ended|delivered|resolved|last_|to$)/;
