import { noBody } from '@hortus/contract/endpoint';
import { endpointRows } from '@hortus/contract/endpoints';
import { beforeAll, expect, it } from 'vitest';
import { newId } from '../records/ids.ts';
import { onBothEngines } from '../testing/engines.ts';
import { goodRequest } from '../testing/good-requests.ts';
import { expectPublished, expectRefusal } from '../testing/published-response.ts';
import { type Caller, type RunningService, startApp } from '../testing/running-service.ts';
import { type WriteWatch, watchWrites } from '../testing/write-watch.ts';

/** Every row of the contract that takes an Idempotency-Key. */
const creating = endpointRows.filter(([, row]) => row.idempotent);

onBothEngines((engine) => {
  let service: RunningService;
  let neighbour: Caller;
  let writes: WriteWatch;
  beforeAll(async () => {
    service = await startApp(engine);
    neighbour = await service.addAccount();
    writes = await watchWrites(service.database);
  });

  it.each(creating)('%s creates once for repeated requests', async (name, row) => {
    const { method, path, body = {} } = await goodRequest(name, service);
    const headers = { 'idempotency-key': newId('job') };
    const first = expectPublished(await service.request(method, path, { body, headers }));
    expect(first.status).toBe(row.status);
    await writes.begin();
    const again = expectPublished(await service.request(method, path, { body, headers }));
    expect([again.status, again.json]).toEqual([first.status, first.json]);

    if (row.body === noBody) {
      // Here none and an empty one are the same, and there is no other.
      const bare = expectPublished(await service.request(method, path, { headers }));
      expect([bare.status, bare.json]).toEqual([first.status, first.json]);
    } else {
      const reasons = await Promise.all(
        otherBodies(body).map(async (other) => {
          const response = await service.request(method, path, { body: other, headers });
          expectRefusal(response, 'VALIDATION_ERROR');
          return response.json.error.details.reason;
        }),
      );
      expect(reasons).toContain('idempotency_key_reused');
    }
    expect(await writes.end()).toEqual([]);
  });

  it.each(creating)('%s creates once for concurrent requests', async (name, row) => {
    const { method, path, body = {} } = await goodRequest(name, service);
    const headers = { 'idempotency-key': newId('job') };
    const ask = () => service.request(method, path, { body, headers });
    const [first, ...others] = await Promise.all([ask(), ask(), ask(), ask()]);
    expect(first?.status).toBe(row.status);
    for (const other of others) expect(other.json).toEqual(first?.json);
    // The same files are answered with the run that applies them, with a key and without.
    if (name === 'gardens.apply') return;
    // Without the key the same request would create another, or say that it is there already.
    const { json } = await service.request(method, path, { body });
    expect(json).not.toEqual(first?.json);
  });

  it.each(creating.filter(([, row]) => row.permission !== 'admin'))(
    '%s keeps idempotency keys of accounts apart and refuses an invalid one',
    async (name, row) => {
      const headers = { 'idempotency-key': newId('job') };
      const mine = await goodRequest(name, service);
      const theirs = await goodRequest(name, neighbour);
      const first = await service.request(mine.method, mine.path, { ...mine.options, headers });
      const second = await neighbour.request(theirs.method, theirs.path, { ...theirs.options, headers });
      expect([first.status, second.status]).toEqual([row.status, row.status]);
      expect(first.json).not.toEqual(second.json);
      for (const key of ['', 'with space', 'x'.repeat(256)]) {
        const response = await service.request(mine.method, mine.path, {
          ...mine.options,
          headers: { 'idempotency-key': key },
        });
        expectRefusal(response, 'VALIDATION_ERROR', 'Idempotency-Key');
      }
    },
  );
});

/** Each with one field changed or left out, so that whatever the row is about, one of them is another good request. */
const otherBodies = (body: Readonly<Record<string, unknown>>): object[] =>
  Object.entries(body).flatMap(([field, value]) => {
    const { [field]: _, ...rest } = body;
    return typeof value === 'string' ? [rest, { ...rest, [field]: `${value}x` }] : [rest];
  });
