import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { endpointRows } from '../endpoints.ts';
import { eventNames } from '../events.ts';
import { machines } from '../machines/all.ts';
import { tagMeanings } from '../records/names.ts';
import type { Operation, Parameter } from './document.ts';
import { openapiDocument } from './openapi.ts';

const doc = openapiDocument({ publicUrl: 'https://hortus.example.org/', version: '9.9.9' });
// What readers get is JSON, so that is what is tested.
const json = JSON.parse(JSON.stringify(doc)) as typeof doc;
const operations = Object.entries(json.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, op]) => [path, method, op] as [string, string, Operation]),
);

function* refs(value: unknown): Generator<string> {
  if (value === null || typeof value !== 'object') return;
  for (const [key, part] of Object.entries(value)) {
    if (key === '$ref' && typeof part === 'string') yield part;
    else yield* refs(part);
  }
}

const resolve = (ref: string): unknown =>
  ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], json);

test('every reference resolves, and every schema component is referred to', () => {
  const all = new Set(refs(json));
  for (const ref of all) expect(resolve(ref), ref).toBeDefined();
  for (const name of Object.keys(json.components.schemas)) expect(all).toContain(`#/components/schemas/${name}`);
});

test('every endpoint is an operation with a unique id, a permission, a known tag and a summary', () => {
  expect(operations.map(([, , op]) => op.operationId).sort()).toEqual(endpointRows.map(([name]) => name).sort());
  for (const [, , op] of operations) {
    expect(op['x-permission'], op.operationId).toBeTruthy();
    expect(Object.keys(tagMeanings)).toContain(op.tags[0]);
    expect(op.summary, op.operationId).toMatch(/^[A-Z][^.]+$/);
  }
});

test('exactly the placeholders of a path are declared as parameters', () => {
  for (const [path, , op] of operations) {
    const declared = op.parameters.filter((p): p is Parameter => 'in' in p && p.in === 'path').map((p) => p.name);
    expect(declared.sort(), path).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((m) => m[1]).sort());
  }
});

test('no two endpoints have the same method and path', () => {
  const claimed = endpointRows.map(([, row]) => `${row.method} ${row.path.replace(/\{\w+\}/g, '{}')}`);
  expect(new Set(claimed).size).toBe(claimed.length);
});

test('every operation documents its success schema and the shared error body', () => {
  for (const [, , op] of operations) {
    const [status, reply] = Object.entries(op.responses).find(([code]) => code.startsWith('2')) ?? [];
    expect(status, op.operationId).toBeDefined();
    const content = reply && 'content' in reply ? Object.values(reply.content ?? {}) : [];
    expect(content[0]?.schema, op.operationId).toBeTruthy();
    expect(op.responses['500']).toEqual({ $ref: '#/components/responses/SERVER_ERROR' });
  }
});

test('only public operations have no security, and only they have no 403', () => {
  for (const [, , op] of operations) {
    expect(op.security.length === 0, op.operationId).toBe(op['x-permission'] === 'public');
    expect(op.responses['403'] === undefined, op.operationId).toBe(/^(public|session)$/.test(op['x-permission']));
  }
});

test('a POST that creates accepts an idempotency key', () => {
  for (const [, row] of endpointRows) if (row.status === 201) expect(row.idempotent, row.path).toBe(true);
});

test('a body is required unless all of its fields are optional', () => {
  const bodies = operations.flatMap(([, , op]) => (op.requestBody ? [[op.operationId, op.requestBody.required]] : []));
  const wanted = endpointRows.flatMap(([name, { body }]) => {
    const { type, required = [] } = body as { type?: string; required?: string[] };
    return type === 'undefined' ? [] : [[name, type !== 'object' || required.length > 0]];
  });
  expect(bodies.sort()).toEqual(wanted.sort());
});

test('all events and state machines are included, and the server URL ends with the version', () => {
  expect(Object.keys(json.webhooks)).toEqual([...eventNames]);
  expect(Object.keys(json['x-state-machines'])).toEqual(machines.map((m) => m.name));
  expect(json.servers[0]?.url).toBe('https://hortus.example.org/api/v1');
});

test('records are shared by reference, and nullable fields are unions with null', () => {
  const item = json.components.schemas.TemplateItem;
  expect(item?.properties?.app_version?.type).toEqual(['string', 'null']);
  expect(item?.properties?.taxonomy).toEqual({ $ref: '#/components/schemas/TemplateTaxonomy' });
  expect(json.components.schemas.Session?.properties?.user).toMatchObject({
    anyOf: [{ $ref: '#/components/schemas/User' }, { type: 'null' }],
  });
});

test('every operation has an example answer that its schema accepts', () => {
  const examples = json.components.examples;
  const used = new Set<string>();
  for (const [, , op] of operations) {
    const [, reply] = Object.entries(op.responses).find(([code]) => code.startsWith('2')) ?? [];
    const [content] = reply && 'content' in reply ? Object.values(reply.content ?? {}) : [];
    const example = content?.examples?.success;
    if (!example || !('$ref' in example)) throw new Error(`${op.operationId} has no example`);
    const name = example.$ref.replace('#/components/examples/', '');
    used.add(name);
    const { response } = endpointRows.find(([row]) => row === op.operationId)?.[1] ?? {};
    if (!response) throw new Error(`${op.operationId} is no endpoint`);
    expect([...Value.Errors(response, examples[name]?.value)], op.operationId).toEqual([]);
  }
  expect([...used].sort()).toEqual(Object.keys(examples).sort());
});

test('the document has what linters of OpenAPI 3.1 require', () => {
  const arrayForm = /"items":\[/;
  expect(JSON.stringify(json)).not.toMatch(arrayForm);
  expect(json.components.schemas.ShellRecording?.properties?.events).toMatchObject({
    items: { prefixItems: [{ type: 'number' }, { const: 'o' }, { type: 'string' }], items: false },
  });
  expect(json.info.license).toEqual({ name: 'MIT', identifier: 'MIT' });
  const schemes = Object.keys(json.components.securitySchemes);
  for (const { post } of Object.values(json.webhooks)) {
    expect(post.operationId).toBeTruthy();
    expect(schemes).toEqual(expect.arrayContaining(post.security.flatMap((scheme) => Object.keys(scheme))));
  }
});
