import { verify } from 'node:crypto';
import { canonicalJson } from '@hortus/template/canonical/canonical-json';
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
    const nonce = 'of-this-request-0123456789';
    const { data } = (await ask('daemon', 'GET', `${path}&nonce=${nonce}`)).json;
    expect(data.nonce).toBe(nonce);
    const { signature, ...covered } = data;
    const key = { key: Buffer.from(served.services.signer.publicKey, 'base64'), format: 'der', type: 'spki' } as const;
    const isSigned = (text: string) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));
    expect(isSigned(canonicalJson(covered))).toBe(true);
    expect(isSigned(canonicalJson({ ...covered, nonce: 'of-another-request-01234567' }))).toBe(false);
    expect((await ask('daemon', 'GET', `${path}&nonce=short`)).json.error.details.field).toBe('nonce');
    expect((await ask('owner', 'GET', '/manifest')).json.error.details.field).toBe('definition_id');
  });
});
