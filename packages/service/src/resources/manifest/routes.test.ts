import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { SECRET, serveDefinition } from '../deployments/testing/served-definition.ts';
import { manifestRoutes } from './routes.ts';

onBothEngines((engine) => {
  let served: Awaited<ReturnType<typeof serveDefinition>>;

  beforeAll(async () => {
    served = await serveDefinition(engine, ({ reading, storage }) => manifestRoutes(reading, storage.reader));
  });

  it('a daemon gets its manifest on the same machine or over TLS', async () => {
    const { definition_id, ask } = served;
    const path = `/manifest?definition_id=${definition_id}`;
    const secrets = async (as: keyof typeof served.callers, headers?: Record<string, string>) => {
      const { status, json } = await ask(as, 'GET', path, undefined, headers);
      return [status, JSON.stringify(json).includes(SECRET), typeof json.data?.signature];
    };
    expect(await secrets('daemon')).toEqual([200, true, 'string']);
    expect(await secrets('daemon', { 'x-forwarded-proto': 'https' })).toEqual([200, true, 'string']);
    expect(await secrets('daemon', { 'x-forwarded-proto': 'http' })).toEqual([403, false, 'undefined']);
    expect(await secrets('daemon', { 'x-forwarded-for': '203.0.113.1' })).toEqual([403, false, 'undefined']);
    expect(await secrets('owner')).toEqual([200, false, 'object']);
    expect(await secrets('other')).toEqual([404, false, 'undefined']);
    expect((await ask('owner', 'GET', '/manifest')).json.error.details.field).toBe('definition_id');
  });
});
