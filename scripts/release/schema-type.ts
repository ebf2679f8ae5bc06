import type { JsonSchema } from '@hortus/contract/openapi/document';

type Schema = JsonSchema & Readonly<Record<string, unknown>>;

const plain: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** Writes the TypeScript type of a schema of the OpenAPI document. Throws for a schema that it would describe wrongly. */
export function typeOf(schema: Schema): string {
  if (typeof schema.$ref === 'string') return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.contentMediaType !== undefined) return 'FileBytes';
  // As in the contract: only a repeated Idempotency-Key is answered with null in place of the secret.
  if (schema['x-secret'] !== undefined) return 'string';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)));
  if (Array.isArray(schema.anyOf)) return union(schema.anyOf.map(typeOf));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type })));
  if (schema.type === 'array') return arrayType(schema);
  if (schema.type === 'object') return objectType(schema);
  const word = plain[String(schema.type)];
  if (word !== undefined) return word;
  if (schema.type === undefined && !Object.keys(schema).some((keyword) => !annotations.has(keyword))) return 'unknown';
  throw new Error(`No TypeScript type is known for the schema ${JSON.stringify(schema)}.`);
}

const annotations = new Set(['description', 'default', 'examples']);

/** Writes the fields of an object, each with its description. */
export function fieldsOf({ properties = {}, required = [] }: Schema): string {
  const needed = new Set(required as string[]);
  const fields = Object.entries(properties as Record<string, Schema>).map(
    ([name, field]) =>
      `${comment(field.description)}${propertyName(name)}${needed.has(name) ? '' : '?'}: ${typeOf(field)};\n`,
  );
  return fields.length === 0 ? '{}' : `{\n${fields.join('')}}`;
}

export const propertyName = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

export function comment(text: unknown): string {
  if (typeof text !== 'string' || text === '') return '';
  return `/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')} */\n`;
}

function objectType(schema: Schema): string {
  const values = Object.values((schema.patternProperties ?? {}) as Record<string, Schema>);
  if (values.length === 0) return fieldsOf(schema);
  return `Record<string, ${union(values.map(typeOf))}>`;
}

function arrayType({ items, prefixItems }: Schema): string {
  if (prefixItems) return `[${prefixItems.map(typeOf).join(', ')}]`;
  const item = items === undefined ? 'unknown' : typeOf(items as Schema);
  return /^[\w.]+$/.test(item) ? `${item}[]` : `(${item})[]`;
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');
