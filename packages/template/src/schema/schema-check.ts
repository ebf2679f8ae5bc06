import type { TSchema } from 'typebox';
import { error, type Path, type Remark } from '../source/finding.ts';
import { didYouMean } from './nearest.ts';
import { suggestedKey } from './suggested-key.ts';

/** The subset of JSON Schema that the template schema uses. */
export interface Schema {
  type?: string;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  patternProperties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean;
  minProperties?: number;
  maxProperties?: number;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  default?: unknown;
  description?: string;
  examples?: readonly unknown[];
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'object') return isMapping(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value);
  if (type === 'null') return value === null;
  return typeof value === type;
}

/** Flattens nested unions. */
const alternatives = (schema: Schema): readonly Schema[] => schema.anyOf?.flatMap(alternatives) ?? [schema];

/** Returns the alternative of a union that the value was meant to be, by its type alone. */
export function branchFor(schema: Schema, value: unknown): Schema | undefined {
  if (schema.anyOf === undefined) return schema;
  const branches = alternatives(schema);
  return (
    branches.find((branch) => branch.const !== undefined && branch.const === value) ??
    branches.find((branch) => branch.const === undefined && (branch.type === undefined || hasType(value, branch.type)))
  );
}

/** Returns the schema of one key of a mapping. */
export function schemaOfKey(schema: Schema, key: string): Schema | undefined {
  if (schema.properties && Object.hasOwn(schema.properties, key)) return schema.properties[key];
  for (const [pattern, inner] of Object.entries(schema.patternProperties ?? {})) {
    if (compiled(pattern).test(key)) return inner;
  }
  return undefined;
}

/** Limit of remarks, because each one costs time and authors fix a few at a time. */
const MAX_REMARKS = 500;

/**
 * Reports every difference from the schema. General validators report the first alternative of a union and stop after a
 * few errors; authors of templates want all errors, and a suggestion for the intended key.
 */
export function checkSchema(schema: TSchema, value: unknown): Remark[] {
  const remarks: Remark[] = [];
  check(schema as Schema, value, [], remarks);
  return remarks;
}

function check(union: Schema, value: unknown, path: Path, remarks: Remark[]): void {
  const schema = branchFor(union, value);
  const fail = (code: string, message: string, hint?: string) => remarks.push(error(code, path, message, hint));
  if (schema === undefined) {
    fail('type', `must be ${alternatives(union).map(kindOf).join(' or ')}, not ${describe(value)}`);
  } else if (schema.enum !== undefined) {
    if (!schema.enum.includes(value)) {
      const known = schema.enum.map(String);
      // Suggest only for strings: converting a mapping could fail if it has a key toString.
      const meant = typeof value === 'string' ? didYouMean(value, known) : undefined;
      fail('value', `must be one of ${known.join(', ')}, not ${describe(value)}`, meant);
    }
  } else if (schema.type !== undefined && !hasType(value, schema.type)) {
    const quote = schema.type === 'string' && (typeof value === 'number' || typeof value === 'boolean');
    fail('type', `must be ${kindOf(schema)}, not ${describe(value)}`, quote ? 'put it in quotes' : undefined);
  } else if (isMapping(value)) checkMapping(schema, value, path, remarks);
  else if (Array.isArray(value)) checkList(schema, value, path, remarks);
  else if (typeof value === 'string') checkText(schema, value, fail);
  else if (typeof value === 'number') checkNumber(schema, value, fail);
}

function checkMapping(schema: Schema, value: Record<string, unknown>, path: Path, remarks: Remark[]): void {
  for (const name of schema.required ?? []) {
    if (Object.hasOwn(value, name)) continue;
    const { description, examples } = schema.properties?.[name] ?? {};
    remarks.push(error('missing-key', path, `the key ${name} is missing`, expected(description, examples)));
  }
  const keys = Object.keys(value);
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
  if (keys.length < minProperties) remarks.push(error('empty', path, 'must not be empty'));
  if (keys.length > maxProperties) {
    remarks.push(error('too-many', path, `must have at most ${maxProperties} keys`));
    return;
  }
  for (const key of keys) {
    const inner = schemaOfKey(schema, key);
    if (inner !== undefined) check(inner, value[key], [...path, key], remarks);
    else if (schema.additionalProperties === false) remarks.push(unknownKey(schema, key, [...path, key]));
    if (remarks.length >= MAX_REMARKS) return;
  }
}

function unknownKey(schema: Schema, key: string, path: Path): Remark {
  const patterns = Object.keys(schema.patternProperties ?? {});
  if (schema.properties === undefined && patterns.length > 0) {
    return {
      ...error('key', path, `the name ${JSON.stringify(key)} must match ${patterns.join(' or ')}`),
      atKey: true,
    };
  }
  const hint =
    key === 'build'
      ? 'images are not built: name an existing image'
      : suggestedKey(key, Object.keys(schema.properties ?? {}));
  return { ...error('unknown-key', path, `unknown key ${JSON.stringify(key)}`, hint), atKey: true };
}

function checkList(schema: Schema, value: unknown[], path: Path, remarks: Remark[]): void {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (value.length < minItems) remarks.push(error('empty', path, `must have at least ${minItems} entry`));
  if (value.length > maxItems) remarks.push(error('too-many', path, `must have at most ${maxItems} entries`));
  if (items === undefined || value.length > maxItems) return;
  for (const [index, item] of value.entries()) {
    check(items, item, [...path, index], remarks);
    if (remarks.length >= MAX_REMARKS) return;
  }
}

type Fail = (code: string, message: string, hint?: string) => void;

function checkText(schema: Schema, value: string, fail: Fail): void {
  if (schema.minLength !== undefined && value.length < schema.minLength) fail('empty', 'must not be empty');
  else if (schema.maxLength !== undefined && value.length > schema.maxLength) {
    fail('too-long', `must have at most ${schema.maxLength} characters`);
  } else if (schema.pattern !== undefined && !compiled(schema.pattern).test(value)) {
    const { description, examples, pattern } = schema;
    const hint = expected(description, examples) ?? `it must match ${pattern}`;
    fail('form', `${describe(value)} does not have the right form`, hint);
  }
}

function checkNumber(schema: Schema, value: number, fail: Fail): void {
  if (schema.minimum !== undefined && value < schema.minimum) fail('range', `must be at least ${schema.minimum}`);
  if (schema.maximum !== undefined && value > schema.maximum) fail('range', `must be at most ${schema.maximum}`);
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum) {
    fail('range', `must be more than ${schema.exclusiveMinimum}`);
  }
}

/** Describes the expected value with the text that editors show for the field. */
function expected(description?: string, examples?: readonly unknown[]): string | undefined {
  const shown = examples?.[0] === undefined ? undefined : `such as ${examples[0]}`;
  const meant = description?.replace(/\.$/, '');
  return meant === undefined || shown === undefined ? (meant ?? shown) : `${meant}; ${shown}`;
}

const expressions = new Map<string, RegExp>();

function compiled(pattern: string): RegExp {
  let expression = expressions.get(pattern);
  if (expression === undefined) {
    expression = new RegExp(pattern, 'u');
    expressions.set(pattern, expression);
  }
  return expression;
}

const KINDS: Record<string, string> = {
  object: 'a mapping',
  array: 'a list',
  integer: 'a whole number',
  string: 'a string',
};

function kindOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return KINDS[schema.type ?? ''] ?? `a ${schema.type}`;
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
