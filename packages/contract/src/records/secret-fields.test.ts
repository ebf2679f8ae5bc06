import Type from 'typebox';
import { expect, test } from 'vitest';
import { endpointRows } from '../endpoints.ts';
import { envelope } from '../envelope.ts';
import { nullable, secret, shownOnce } from './fields.ts';
import { secretFieldsOf } from './secret-fields.ts';

const field = { description: 'A key.', replacement: 'Make another.' };

test('marked fields are found at every depth', () => {
  const schema = envelope(
    Type.Object({ id: Type.String(), key: shownOnce(field), inner: Type.Object({ token: secret(field) }) }),
  );
  expect(secretFieldsOf(schema)).toEqual([
    { path: ['data', 'key'], replacement: 'Make another.' },
    { path: ['data', 'inner', 'token'], replacement: 'Make another.' },
  ]);
});

test('a mark that no path can address is refused', () => {
  for (const inside of [Type.Array(secret(field)), nullable(Type.Object({ key: secret(field) }))])
    expect(() => secretFieldsOf(envelope(inside))).toThrow(/list or union/);
});

const creating = endpointRows.filter(([, row]) => row.idempotent);

test.each(creating)('%s marks every field of its response that is named like a secret', (_name, row) => {
  const marked = secretFieldsOf(row.response).map(({ path }) => path.join('.'));
  expect(namedLikeSecrets(row.response)).toEqual(marked.filter((path) => !path.endsWith('_url')));
});

test.each(creating)('%s may answer null and a hint instead of its secrets', (_name, row) => {
  if (secretFieldsOf(row.response).length === 0) return;
  expect(row.response).toMatchObject({ properties: { hint: { type: 'string' } } });
});

function namedLikeSecrets(schema: object, path: readonly string[] = []): string[] {
  const { properties = {} } = schema as { properties?: Record<string, object> };
  return Object.entries(properties).flatMap(([name, inner]) => {
    const here = [...path, name];
    const public_ = /public/.test(name);
    return !public_ && /(^|_)(key|token|secret|password)$/.test(name)
      ? [here.join('.')]
      : namedLikeSecrets(inner, here);
  });
}
