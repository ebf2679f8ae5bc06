import { noBody } from '@hortus/contract/endpoint';
import { endpointRows } from '@hortus/contract/endpoints';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { goodRequest, type ReadyRequest } from '../testing/good-requests.ts';
import { expectPublished, expectRefusal } from '../testing/published-response.ts';
import { type RunningService, startApp } from '../testing/running-service.ts';
import { noObject, nothingSent, nullSent, type SpoiltBody, spoiltBodies } from '../testing/spoilt-bodies.ts';
import { untouchedRequests } from '../testing/untouched-requests.ts';
import { type WriteWatch, watchWrites } from '../testing/write-watch.ts';

/** Every row of the contract that may be sent a body, with bodies that cannot be meant and with none. */
const withBody = endpointRows.filter(([, row]) => row.body !== noBody);
const withOptionalBody = withBody.filter(([, row]) => row.bodyOptional);
const bodiless = endpointRows.filter(([, row]) => row.body === noBody && row.method !== 'GET');

onBothEngines((engine) => {
  let service: RunningService;
  let writes: WriteWatch;
  const untouchedRequest = untouchedRequests();

  beforeAll(async () => {
    service = await startApp(engine);
    writes = await watchWrites(service.database);
  });
  afterEach(async () => {
    expect(await writes.end()).toEqual([]);
  });

  async function expectRefused({ method, path, options }: ReadyRequest, spoilt: readonly SpoiltBody[]) {
    const { body: _, headers, ...rest } = options;
    for (const { how, field, raw, contentType = 'application/json' } of spoilt) {
      const sent = { ...rest, raw, headers: { ...headers, 'content-type': contentType } };
      const response = await service.request(method, path, sent);
      expect(response.status, `${how}: ${JSON.stringify(response.json)}`).toBe(422);
      expectRefusal(response, 'VALIDATION_ERROR', field);
    }
  }

  it.each(withBody)(
    '%s responds with 422 to an invalid body, names the field and writes nothing',
    async (name, row) => {
      const request = await untouchedRequest(name, service);
      await writes.begin();
      await expectRefused(request, [...spoiltBodies(row, request.body ?? {}), nullSent]);
      if (row.bodyOptional) return;
      await expectRefused(request, [nothingSent]);
      const { body: _, ...bare } = request.options;
      expectRefusal(await service.request(request.method, request.path, bare), 'VALIDATION_ERROR', 'body');
    },
  );

  it.each(withBody)('%s refuses null characters, which PostgreSQL cannot store', async (name) => {
    const { method, path, body = {}, options } = await untouchedRequest(name, service);
    await writes.begin();
    for (const [field, value] of Object.entries(body).filter(([, value]) => typeof value === 'string')) {
      const response = await service.request(method, path, {
        ...options,
        body: { ...body, [field]: `${value}\u0000` },
      });
      expectRefusal(response, 'VALIDATION_ERROR', field);
    }
  });

  it.each(withOptionalBody)('%s treats a missing body as an empty object', async (name, row) => {
    for (const sent of [{}, { raw: '' }, { raw: '{}' }]) {
      const { method, path, options } = await goodRequest(name, service);
      const { body: _, ...bare } = options;
      const response = expectPublished(await service.request(method, path, { ...bare, ...sent }));
      // A row that needs one of several fields names that, never the body.
      if (response.status === 422) expect(response.json.error.details.field).not.toBe('body');
      else expect(response.status, JSON.stringify(response.json)).toBe(row.status);
    }
  });

  it.each(bodiless)('%s accepts only no body or an empty object', async (name) => {
    const request = await goodRequest(name, service);
    await writes.begin();
    await expectRefused(request, [...noObject(), { how: 'a field', field: 'surprise', raw: '{"surprise":1}' }]);
    expect(await writes.end()).toEqual([]);
    const { method, path, options } = request;
    expect(expectPublished(await service.request(method, path, { ...options, raw: '{}' })).status).toBeLessThan(300);
  });
});
