import { FIRST_FILL_MS } from '@hortus/testkit/test-cache';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CatalogInstallation, hasOwnEngine, openCatalogInstallation } from './catalog-installation.ts';
import { deploySpecies } from './deployed-species.ts';
import { survivesLoss } from './loss.ts';
import { upgrades } from './upgrade.ts';
import { Visitor } from './visitor.ts';

if (hasOwnEngine) {
  let catalogInstallation: CatalogInstallation;
  beforeAll(async () => {
    catalogInstallation = await openCatalogInstallation('directus');
  }, FIRST_FILL_MS);
  afterAll(() => catalogInstallation?.[Symbol.asyncDispose]());

  test('Directus keeps items and files after a loss and an upgrade', { timeout: 1_800_000 }, async () => {
    const email = 'gardener@example.org';
    const inputs = { WEB_HOSTNAME: 'data.example.org', ADMIN_EMAIL: email };
    const deployed = await deploySpecies(catalogInstallation, 'directus', inputs);
    const visitor = new Visitor(deployed);
    let password = await deployed.secret('ADMIN_PASSWORD');
    const ask = async (method: string, path: string, body?: object | FormData) => {
      const signedIn = await visitor.send('POST', '/auth/login', JSON.stringify({ email, password }));
      expect(signedIn.status, signedIn.text).toBe(200);
      const headers = { authorization: `Bearer ${JSON.parse(signedIn.text).data.access_token}` };
      const content = body instanceof FormData ? body : JSON.stringify(body);
      const answer = body ? await visitor.send(method, path, content, headers) : await visitor.get(path, headers);
      expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
      return answer.text;
    };
    const field = { field: 'plant', type: 'string', schema: {}, meta: {} };
    await ask('POST', '/collections', { collection: 'beds', schema: {}, meta: {}, fields: [field] });
    await ask('POST', '/items/beds', [{ plant: "it's mint" }, { plant: 'thyme' }]);
    const form = new FormData();
    form.set('file', new Blob(['sow in March'], { type: 'text/plain' }), 'calendar.txt');
    const { data: file } = JSON.parse(await ask('POST', '/files', form));
    const look = async () =>
      `${await ask('GET', '/items/beds?fields=plant&sort=id')} ${await ask('GET', `/assets/${file.id}`)}`;
    expect(await look()).toBe('{"data":[{"plant":"it\'s mint"},{"plant":"thyme"}]} sow in March');
    const backup = await survivesLoss(catalogInstallation, deployed, {
      look,
      change: () => ask('DELETE', '/items/beds', [1, 2]),
    });
    expect(backup.parts.map(({ kind }) => kind).sort()).toEqual(['dump', 'volume', 'volume']);

    const before = await look();
    await upgrades(catalogInstallation, deployed);
    expect(await look()).toBe(before);
    expect(await deployed.run('db-dump')).toContain('CREATE TABLE public.beds');
    expect(await deployed.run('schema-snapshot')).toContain('collection: beds');
    expect(await deployed.run('clear-cache')).toContain('OK');
    await deployed.run('set-password', { email, password: 'another password' });
    password = 'another password';
    expect(await look()).toBe(before);
    await deployed.checkAndRelease();
  });
}
