import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { expect, test } from 'vitest';
import { noBody } from './endpoint.ts';
import { endpointRows } from './endpoints.ts';

type Node = Record<string, unknown>;

function* nodes(schema: unknown, at = ''): Generator<[string, Node]> {
  if (schema === null || typeof schema !== 'object') return;
  yield [at, schema as Node];
  for (const [key, part] of Object.entries(schema)) {
    if (!['examples', 'default', 'enum'].includes(key)) yield* nodes(part, `${at}/${key}`);
  }
}

const written = endpointRows.filter(([, row]) => row.body !== noBody);

/** What daemons report may say more than this version knows. */
const reported = (permission: string) => permission.endsWith(':report');

test.each(written)('%s refuses unknown body fields, unless a daemon sends them', (_name, row) => {
  const { additionalProperties } = row.body as TSchema & Node;
  if (reported(row.permission)) expect(additionalProperties).not.toBe(false);
  else expect(additionalProperties).toBe(false);
});

/** Maps whose names have no bound in the schema, with what bounds them. */
const unboundedNames: Readonly<Record<string, string>> = {
  'actions.report': 'size and number of values of the body; a result is shown as it is',
  'actions.reportScheduled': 'size and number of values of the body; a result is shown as it is',
  'diagnostics.report': 'the service cuts names to 64 characters',
};

test.each(written)('%s limits the number of entries of every map, and the length of their names', (name, row) => {
  for (const [at, node] of nodes(row.body)) {
    if (node.patternProperties === undefined || name in unboundedNames) continue;
    expect(node.maxProperties, `${name}${at}`).toBeDefined();
    for (const pattern of Object.keys(node.patternProperties as Node))
      expect(pattern, `${name}${at}`).toMatch(/^\^[^*+]*\{\d,\d+\}[^*+]*\$$/);
  }
});

test.each(written)('%s limits the size of everything a caller may send', (name, row) => {
  for (const [at, node] of nodes(row.body)) {
    if (node.type === 'string' && !node.enum && node.format !== 'date-time')
      expect(node.maxLength, `${name}${at}`).toBeDefined();
    if (node.type === 'array') expect(node.maxItems, `${name}${at}`).toBeDefined();
    if (node.type === 'object' && !reported(row.permission))
      expect(node.additionalProperties, `${name}${at}`).toBe(false);
  }
});

test.each(written)('%s accepts an empty object if its body is optional', (_name, row) => {
  if (row.bodyOptional) expect(Value.Check(row.body, {})).toBe(true);
});

test.each(endpointRows)('%s allows unknown fields in its response and its query', (name, row) => {
  for (const schema of [row.response, row.query]) {
    for (const [at, node] of nodes(schema)) expect(node.additionalProperties, `${name}${at}`).not.toBe(false);
  }
});

test.each(endpointRows)('%s accepts any short string in its path', (name, row) => {
  for (const field of Object.values(row.params.properties) as Node[]) {
    expect([field.type, field.pattern], name).toEqual(['string', undefined]);
    expect(field.maxLength).toBeLessThanOrEqual(128);
  }
});

test('every list has pages, and only lists have them', () => {
  for (const [name, row] of endpointRows) {
    const fields = (row.response as TSchema & { properties?: Node }).properties ?? {};
    const isList = (fields.data as Node | undefined)?.type === 'array';
    expect('pagination' in fields, name).toBe(isList);
    expect('per_page' in row.query.properties, name).toBe(isList);
  }
});

test.each(written)('%s documents examples that its own schema accepts', (name, row) => {
  for (const example of ((row.body as TSchema & Node).examples as unknown[] | undefined) ?? []) {
    expect(Value.Check(row.body, example), `${name} ${JSON.stringify(example)}`).toBe(true);
  }
});
