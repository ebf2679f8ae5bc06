import { expect } from 'vitest';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { deploySpecies } from '../deployed-species.ts';
import { survivesLoss } from '../loss.ts';
import { upgrades } from '../upgrade.ts';
import { Visitor } from '../visitor.ts';

export function content(catalog: Catalog): void {
  catalogTest('Directus keeps items and files after a loss and an upgrade', { timeout: 1_800_000 }, async () => {
    const email = 'editor@example.org';
    const inputs = { WEB_HOSTNAME: 'data.example.org', ADMIN_EMAIL: email };
    const deployed = await deploySpecies(catalog(), 'directus', inputs);
    const visitor = new Visitor(deployed);
    let password = await deployed.secret('ADMIN_PASSWORD');
    const send = async (method: string, path: string, body?: object | FormData) => {
      const signedIn = await visitor.send('POST', '/auth/login', JSON.stringify({ email, password }));
      expect(signedIn.status, signedIn.text).toBe(200);
      const headers = { authorization: `Bearer ${JSON.parse(signedIn.text).data.access_token}` };
      const payload = body instanceof FormData ? body : JSON.stringify(body);
      const response = body ? await visitor.send(method, path, payload, headers) : await visitor.get(path, headers);
      expect(response.status, `${path}: ${response.text}`).toBeLessThan(300);
      return response.text;
    };
    const field = { field: 'plant', type: 'string', schema: {}, meta: {} };
    await send('POST', '/collections', { collection: 'beds', schema: {}, meta: {}, fields: [field] });
    await send('POST', '/items/beds', [{ plant: "it's mint" }, { plant: 'thyme' }]);
    const form = new FormData();
    form.set('file', new Blob(['sow in March'], { type: 'text/plain' }), 'calendar.txt');
    const { data: file } = JSON.parse(await send('POST', '/files', form));
    const read = async () =>
      `${await send('GET', '/items/beds?fields=plant&sort=id')} ${await send('GET', `/assets/${file.id}`)}`;
    expect(await read()).toBe('{"data":[{"plant":"it\'s mint"},{"plant":"thyme"}]} sow in March');
    const backup = await survivesLoss(catalog(), deployed, {
      read,
      change: () => send('DELETE', '/items/beds', [1, 2]),
    });
    expect(backup.parts.map(({ kind }) => kind).sort()).toEqual(['dump', 'volume', 'volume']);

    const before = await read();
    await upgrades(catalog(), deployed);
    expect(await read()).toBe(before);
    expect(await deployed.run('db-dump')).toContain('CREATE TABLE public.beds');
    expect(await deployed.run('schema-snapshot')).toContain('collection: beds');
    expect(await deployed.run('clear-cache')).toContain('OK');
    await deployed.run('set-password', { email, password: 'another password' });
    password = 'another password';
    expect(await read()).toBe(before);
    await deployed.checkAndRelease();
  });
}
