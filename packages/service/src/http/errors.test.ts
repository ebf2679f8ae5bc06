import { describe, expect, it } from 'vitest';
import { conflict, notFound } from '../problem.ts';
import { OutcomeUnknown, StorageBusy, StorageUnavailable } from '../storage/storage.ts';
import { bearer, everyResponse, jsonType, sending, serve } from './testing/serve.ts';

describe('every failure is answered in the error envelope', () => {
  it.each([
    ['an unknown path', '/api/v1/nothing', {}, 404, 'NOT_FOUND'],
    ['a path outside the interface', '/index.php', {}, 404, 'NOT_FOUND'],
    ['an unknown method', '/api/v1/templates', { method: 'PATCH', headers: bearer('reader') }, 404, 'NOT_FOUND'],
    ['a method that HTTP does not have', '/api/v1/templates', { method: 'PROPFIND' }, 404, 'NOT_FOUND'],
    ['a malformed body on an unknown path', '/api/v1/nothing', sending('{'), 404, 'NOT_FOUND'],
    ['bad encoding in the path', '/api/v1/templates/%zz', { headers: bearer('reader') }, 404, 'NOT_FOUND'],
    [
      'an id that is too long',
      `/api/v1/definitions/${'x'.repeat(200)}`,
      { headers: bearer('admin') },
      404,
      'NOT_FOUND',
    ],
    [
      'an id of 2,000 characters',
      `/api/v1/definitions/${'x'.repeat(2000)}`,
      { headers: bearer('admin') },
      404,
      'NOT_FOUND',
    ],
    ['no key', '/api/v1/templates', {}, 401, 'UNAUTHORIZED'],
    ['a wrong key', '/api/v1/templates', { headers: bearer('unknown') }, 401, 'UNAUTHORIZED'],
    ['a wrong key and a wrong body', '/api/v1/definitions', sending('{', 'unknown'), 401, 'UNAUTHORIZED'],
    ['a key without the permission, and a wrong body', '/api/v1/definitions', sending('{', 'reader'), 403, 'FORBIDDEN'],
    ['a server key for an endpoint of users', '/api/v1/templates', { headers: bearer('daemon') }, 403, 'FORBIDDEN'],
    ['a wrong parameter', '/api/v1/templates?page=0', { headers: bearer('reader') }, 422, 'VALIDATION_ERROR'],
    ['malformed JSON', '/api/v1/definitions', sending('{"a":'), 422, 'VALIDATION_ERROR'],
    ['a prototype in the body', '/api/v1/definitions', sending('{"inputs":{"__proto__":{}}}'), 422, 'VALIDATION_ERROR'],
    [
      'a prototype in the body, in escapes',
      '/api/v1/definitions',
      sending('{"inputs":{"\\u005f_proto__":{}}}'),
      422,
      'VALIDATION_ERROR',
    ],
    [
      'a prototype in the body, by its constructor',
      '/api/v1/definitions',
      sending('{"inputs":{"constructor":{"prototype":{}}}}'),
      422,
      'VALIDATION_ERROR',
    ],
    ['another content type', '/api/v1/definitions', sending('a=b', 'writer', 'text/plain'), 422, 'VALIDATION_ERROR'],
    ['a null character in the path', '/api/v1/definitions/a%00b', { headers: bearer('admin') }, 404, 'NOT_FOUND'],
    [
      'a null character in the query',
      '/api/v1/templates?family=%00',
      { headers: bearer('reader') },
      422,
      'VALIDATION_ERROR',
    ],
    [
      'a null character in the body',
      '/api/v1/definitions',
      sending(JSON.stringify({ inputs: { A: '\0' } })),
      422,
      'VALIDATION_ERROR',
    ],
    [
      'a null character in a deeply nested body',
      '/api/v1/definitions',
      sending('['.repeat(1e5) + JSON.stringify('\0') + ']'.repeat(1e5)),
      422,
      'VALIDATION_ERROR',
    ],
    ['no body where one is needed', '/api/v1/account/keys', sending(''), 422, 'VALIDATION_ERROR'],
    ['a body over the limit', '/api/v1/definitions', sending(`"${'x'.repeat(3_000_000)}"`), 422, 'VALIDATION_ERROR'],
  ])('%s', async (_what, path, init, status, code) => {
    await using service = await serve();
    const response = await service.fetch(path, init);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe(jsonType);
    for (const name of everyResponse) expect(response.headers.get(name), name).toBeTruthy();
    const body = (await response.json()) as { success: boolean; error: { code: string; message: string } };
    expect(body).toMatchObject({ success: false, error: { code } });
    expect(body.error.message).not.toMatch(/node_modules|\bat \//);
  });

  it('a chunked body over the limit is refused with the field named', async () => {
    await using service = await serve();
    const chunks = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 40; i++) controller.enqueue(new Uint8Array(65_536).fill(97));
        controller.close();
      },
    });
    const headers = { ...bearer('writer'), 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: chunks, duplex: 'half' } as RequestInit;
    const response = await service.fetch('/api/v1/definitions', init);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ error: { details: { field: 'body' } } });
  });

  it('a null character is refused with the field named', async () => {
    await using service = await serve();
    const response = await service.fetch(
      '/api/v1/definitions',
      sending(JSON.stringify({ inputs: { A: 'fine', B: ['a\0'] } })),
    );
    expect(await response.json()).toMatchObject({
      error: { message: 'inputs.B[0]: must not contain the character U+0000.' },
    });
    // A backslash before a u is not that character.
    expect(
      (await service.fetch('/api/v1/definitions', sending(JSON.stringify({ species: `${'\\'}u0000` })))).status,
    ).toBe(201);
  });

  it('a problem thrown by a service keeps its message and details', async () => {
    await using service = await serve({
      handlers: {
        'definitions.create': () => Promise.reject(conflict('instance_uid', 'taken', 'is taken.', { by: 'def_1' })),
        'definitions.read': () => Promise.reject(notFound('definition')),
      },
    });
    expect(await (await service.fetch('/api/v1/definitions', sending('{}'))).json()).toEqual({
      success: false,
      error: {
        code: 'VALIDATION_ERROR',
        message: 'instance_uid: is taken.',
        details: { reason: 'taken', field: 'instance_uid', by: 'def_1' },
      },
    });
    const missing = await service.fetch('/api/v1/definitions/x', { headers: bearer('admin') });
    expect(await missing.json()).toEqual({
      success: false,
      error: { code: 'NOT_FOUND', message: 'There is no such definition.' },
    });
  });

  it('an unexpected error is logged with its stack and not shown to the caller', async () => {
    await using service = await serve({
      handlers: { 'definitions.read': () => Promise.reject(new Error('disk on fire')) },
    });
    const headers = { ...bearer('admin'), 'x-request-id': 'my-request.1' };
    const response = await service.fetch('/api/v1/definitions/x?token=abc', { headers });
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).not.toContain('fire');
    expect(JSON.parse(text).error).toMatchObject({ code: 'SERVER_ERROR', details: { request_id: 'my-request.1' } });
    expect(service.lines).toMatchObject([
      { level: 'error', request_id: 'my-request.1', path: '/api/v1/definitions/x', err: { message: 'disk on fire' } },
    ]);
    expect(JSON.stringify(service.lines)).toContain('errors.test.ts');
  });

  it('a request without a database is answered with the time to wait', async () => {
    await using service = await serve({
      handlers: { 'definitions.read': () => Promise.reject(new StorageUnavailable(new Error('db.internal refused'))) },
    });
    const response = await service.fetch('/api/v1/definitions/x', { headers: bearer('admin') });
    expect([response.status, response.headers.get('retry-after')]).toEqual([500, '5']);
    const text = await response.text();
    expect(text).not.toContain('db.internal');
    expect(JSON.parse(text).error).toMatchObject({
      code: 'SERVER_ERROR',
      details: { reason: 'storage', retry_after: 5, request_id: expect.any(String) },
    });
  });

  it('a request that got no connection to the database is told that it is busy', async () => {
    await using service = await serve({
      handlers: { 'definitions.read': () => Promise.reject(new StorageBusy()) },
    });
    const response = await service.fetch('/api/v1/definitions/x', { headers: bearer('admin') });
    expect([response.status, response.headers.get('retry-after')]).toEqual([500, '5']);
    expect(await response.json()).toMatchObject({
      error: { message: 'The database is busy. Try again in a few seconds.', details: { reason: 'storage' } },
    });
  });

  it('a commit whose outcome is unknown is answered as such', async () => {
    await using service = await serve({
      handlers: { 'definitions.read': () => Promise.reject(new OutcomeUnknown()) },
    });
    const response = await service.fetch('/api/v1/definitions/x', { headers: bearer('admin') });
    expect([response.status, response.headers.get('retry-after')]).toEqual([500, null]);
    expect(await response.json()).toMatchObject({
      error: { code: 'SERVER_ERROR', details: { reason: 'outcome_unknown' } },
    });
  });
});

describe('bytes that are not HTTP', () => {
  const onResponse = (text: string) => {
    const [head = '', body = ''] = text.split('\r\n\r\n');
    for (const name of everyResponse) expect(head.toLowerCase()).toContain(`${name}: `);
    return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
  };

  it.each([
    ['nonsense', 'what\r\n\r\n', 422, 'VALIDATION_ERROR'],
    [
      'headers over the limit',
      `GET / HTTP/1.1\r\nHost: a\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`,
      422,
      'VALIDATION_ERROR',
    ],
    ['a CONNECT request', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n', 404, 'NOT_FOUND'],
  ])('%s: the answer is in the error envelope', async (_what, bytes, status, code) => {
    await using service = await serve();
    const errorBody = onResponse(await service.raw(bytes));
    expect(errorBody.status).toBe(status);
    expect(errorBody.body).toMatchObject({ success: false, error: { code } });
  });

  it('a request target may be an absolute URL', async () => {
    await using service = await serve();
    const text = await service.raw(
      'GET http://hortus.test/api/v1/health?x=1 HTTP/1.1\r\nHost: hortus.test\r\nConnection: close\r\n\r\n',
    );
    expect(onResponse(text)).toMatchObject({ status: 200, body: { status: 'healthy' } });
  });

  it('a request with an unknown Expect header is served', async () => {
    await using service = await serve();
    const text = await service.raw(
      'GET /api/v1/health HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nConnection: close\r\n\r\n',
    );
    expect(onResponse(text)).toMatchObject({ status: 200, body: { status: 'healthy' } });
  });
});
