import { endpoint } from '@hortus/contract/endpoint';
import { endpoints } from '@hortus/contract/endpoints';
import { envelope, paging } from '@hortus/contract/envelope';
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../problem.ts';
import { type Checks, checksOf } from './checks.ts';

function refused(check: () => unknown): Problem {
  try {
    check();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('It was accepted.');
}

const row = endpoint({
  method: 'POST',
  path: '/things/{id}',
  tag: 'things',
  summary: '',
  permission: 'public',
  params: Type.Object({ id: Type.String({ maxLength: 8 }) }),
  query: Type.Object({
    ...paging,
    ratio: Type.Optional(Type.Number()),
    deep: Type.Optional(Type.Boolean()),
    tag: Type.Optional(Type.Array(Type.String({ maxLength: 3 }))),
  }),
  body: Type.Object(
    {
      count: Type.Integer({ minimum: 1 }),
      at: Type.Optional(Type.String({ format: 'date-time' })),
      url: Type.Optional(Type.String({ format: 'uri' })),
      email: Type.Optional(Type.String({ format: 'email' })),
      inner: Type.Optional(Type.Object({ list: Type.Array(Type.String()) }, { additionalProperties: false })),
    },
    { additionalProperties: false },
  ),
  response: envelope(Type.Null()),
});
const checks: Checks = checksOf(row);

describe('a query string', () => {
  it('is converted to the types of its fields, with defaults and without unknown fields', () => {
    expect(checks.query({ page: '3', deep: 'true', ratio: '0.5', tag: 'a', _: '17' })).toEqual({
      page: 3,
      per_page: 20,
      deep: true,
      ratio: 0.5,
      tag: ['a'],
    });
  });

  it.each([
    [{ page: 'two' }, 'page: must be a whole number.'],
    [{ page: '' }, 'page: must be a whole number.'],
    [{ page: '1.5' }, 'page: must be a whole number.'],
    [{ page: '0x10' }, 'page: must be a whole number.'],
    [{ page: '0' }, 'page: must be at least 1.'],
    [{ per_page: '101' }, 'per_page: must be at most 100.'],
    [{ page: ['1', '2'] }, 'page: must be given only once.'],
    [{ deep: 'yes' }, 'deep: must be true or false.'],
    [{ tag: ['abc', 'abcd'] }, 'tag[1]: must have at most 3 characters.'],
  ])('%j is refused by field', (query, message) => {
    expect(refused(() => checks.query(query))).toMatchObject({ code: 'VALIDATION_ERROR', message });
  });
});

describe('a body', () => {
  it.each([
    [{ count: '1' }, 'count', 'count: must be a whole number.'],
    [{}, 'count', 'count: is required.'],
    [{ count: 1, cuont: 1 }, 'cuont', 'cuont: is not a known field; did you mean count?'],
    [{ count: 1, inner: { list: [], more: 1 } }, 'inner.more', 'inner.more: is not a known field.'],
    [{ count: 1, inner: { list: ['a', 2] } }, 'inner.list[1]', 'inner.list[1]: must be a string.'],
    [{ count: 1, at: 'tomorrow' }, 'at', 'at: must be a time such as 2030-01-31T12:00:00Z.'],
    [{ count: 1, at: '2016-12-31T23:59:60Z' }, 'at', 'at: must be a time such as 2030-01-31T12:00:00Z.'],
    [{ count: 1, url: 'nowhere' }, 'url', 'url: must be a full address such as https://example.org/path.'],
    [{ count: 1, email: 'no-address' }, 'email', 'email: must be an email address.'],
    [[], 'body', 'body: must be an object.'],
    [null, 'body', 'body: must be an object.'],
    [undefined, 'body', 'body: must be an object.'],
    [JSON.parse('{"count":1,"__proto__":1}'), '__proto__', '__proto__: is not a known field.'],
  ])('%j is refused by field', (body, field, message) => {
    const problem = refused(() => checks.body(body));
    expect(problem.message).toBe(message);
    expect(problem.details).toMatchObject({ reason: 'invalid', field });
  });

  it('is passed on unchanged', () => {
    const body = { count: 2, at: '2030-01-01T00:00:00.000+02:00' };
    expect(checks.body(body)).toBe(body);
  });

  it('is refused with every invalid field and no value', () => {
    const problem = refused(() => checks.body({ count: 0, email: 'hunter2-hunter2', extra: 'hunter2-hunter2' }));
    expect(problem.details?.problems).toHaveLength(3);
    expect(JSON.stringify([problem.message, problem.details])).not.toContain('hunter2');
  });

  it('may be empty if the endpoint has none', () => {
    const { body } = checksOf(endpoints['definitions.activate']);
    for (const none of [undefined, null, {}]) expect(body(none)).toBeUndefined();
    expect(refused(() => body({ force: true })).message).toBe(
      'force: is not a known field: this endpoint takes no body.',
    );
    expect(refused(() => body([1])).message).toBe('body: is not a known field: this endpoint takes no body.');
  });

  it('may be omitted if all of its fields are optional, and is then an empty object', () => {
    const { body } = checksOf(endpoints['instances.release']);
    expect(body(undefined)).toEqual({});
    for (const other of [null, [], '']) expect(refused(() => body(other)).message).toBe('body: must be an object.');
    expect(checksOf(endpoints['servers.update']).body(undefined)).toEqual({});
    expect(refused(() => checksOf(endpoints['servers.register']).body(undefined)).message).toBe(
      'body: must be an object.',
    );
  });

  it('with an input of the wrong type is refused with the name of the input', () => {
    const { body } = checksOf(endpoints['definitions.create']);
    expect(refused(() => body({ inputs: { WEB_HOSTNAME: {} } })).message).toBe(
      'inputs.WEB_HOSTNAME: must be a string, a number or true or false.',
    );
    const { body: change } = checksOf(endpoints['definitions.update']);
    expect(refused(() => change({ inputs: { A: [] } })).message).toContain('null');
  });

  it('with a typo in a field name is refused with a suggestion', () => {
    const { body } = checksOf(endpoints['webhooks.create']);
    const hook = { url: 'https://hooks.example.org', secret: 'long enough' };
    const { message } = refused(() => body({ ...hook, events: ['deployment.succes'] }));
    expect(message).toMatch(/^events\[0\]: must be one of deployment.started, .* Did you mean deployment.success\?$/);
    expect(refused(() => body({ ...hook, events: ['weather'] })).message).not.toContain('Did you mean');
  });

  it('with an invalid nullable value is refused with the reason', () => {
    const { body } = checksOf(endpoints['keys.create']);
    const key = { name: 'ci', permissions: ['templates:read'] };
    expect(refused(() => body({ ...key, expires_at: 'soon' })).message).toBe(
      'expires_at: must be a time such as 2030-01-31T12:00:00Z.',
    );
    expect(refused(() => body({ ...key, permissions: ['all'] })).message).toMatch(
      /^permissions\[0\]: must be one of templates:read, /,
    );
  });
});

it('a path parameter that is no valid id is answered with 404', () => {
  expect(checks.params({ id: 'abc' })).toEqual({ id: 'abc' });
  expect(refused(() => checks.params({ id: 'far-too-long' }))).toMatchObject({ code: 'NOT_FOUND' });
});
