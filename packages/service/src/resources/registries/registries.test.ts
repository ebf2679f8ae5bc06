import { createClient } from '@hortus/client/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

const password = 'dig-it-deeply-1';
/** Registry of the image in the test template. */
const host = 'registry.example.org';

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });
  const create = (body: object) => service.request('POST', '/registries', { body });

  describe('a registry', () => {
    it('is created, changed, listed and deleted; its password is never shown and stored encrypted', async () => {
      const { json, status } = await create({ host: 'Ghcr.IO', username: 'gardener', password });
      expect(status).toBe(201);
      expect(json.data).toMatchObject({ host: 'ghcr.io', username: 'gardener' });
      const path = `/registries/${json.data.id}`;
      const changed = await service.request('PUT', path, { body: { username: 'florist' } });
      expect(changed.json.data).toMatchObject({ id: json.data.id, host: 'ghcr.io', username: 'florist' });
      const list = await service.request('GET', '/registries');
      expect(list.json).toMatchObject({ data: [{ id: json.data.id, username: 'florist' }], pagination: { total: 1 } });
      const rows = [
        await service.database.db.selectFrom('registries').selectAll().execute(),
        await service.database.db.selectFrom('events').selectAll().execute(),
      ];
      expect(JSON.stringify([json, changed.json, list.json, rows])).not.toContain(password);
      expect((await service.request('DELETE', path)).json.data).toMatchObject({ id: json.data.id });
      expect((await service.request('GET', '/registries')).json.data).toEqual([]);
      expect((await service.request('GET', path)).status).toBe(404);
    });

    it('is unique per normalized host, and a host is not a URL', async () => {
      const first = await create({ host: 'docker.io', username: 'a', password });
      const second = await create({ host: 'Index.docker.io', username: 'b', password });
      expect(second).toMatchObject({ status: 422, json: { error: { details: { field: 'host', reason: 'taken' } } } });
      await service.request('DELETE', `/registries/${first.json.data.id}`);
      for (const wrong of ['https://ghcr.io', 'ghcr.io/path', 'a b', '../x', '']) {
        expect(await create({ host: wrong, username: 'a', password })).toMatchObject({
          status: 422,
          json: { error: { details: { field: 'host' } } },
        });
      }
    });

    it('is hidden from other accounts', async () => {
      const { json } = await create({ host: 'quay.io', username: 'gardener', password });
      const outsider = await service.addAccount();
      expect((await outsider.request('GET', '/registries')).json.data).toEqual([]);
      expect((await outsider.request('DELETE', `/registries/${json.data.id}`)).status).toBe(404);
      expect((await outsider.request('PUT', `/registries/${json.data.id}`, { body: { username: 'x' } })).status).toBe(
        404,
      );
      expect(
        (await outsider.request('POST', '/registries', { body: { host: 'quay.io', username: 'x', password } })).status,
      ).toBe(201);
    });
  });

  describe('the manifest', () => {
    it('contains the password only for the daemon of that server, and only for registries that its images need', async () => {
      await create({ host, username: 'gardener', password });
      await create({ host: 'elsewhere.example.org', username: 'unused', password: 'not-needed-here' });
      const register = () =>
        service.client.call('servers.register', { body: { name: 'server-1', environment: 'staging' } });
      const { data: server } = await register();
      const { data: other } = await register();
      const { data: definition } = await service.client.call('definitions.create', {
        body: {
          species: 'inkwell',
          instance_uid: 'blog',
          server_id: server.id,
          inputs: { WEB_HOSTNAME: 'blog.example.org' },
        },
      });
      const query = { definition_id: definition.id };
      const asking = (key: string) => createClient({ baseUrl: service.base, key, retries: { attempts: 1 } });
      const { data: manifest } = await asking(server.api_key).call('manifest.read', { query });
      expect(manifest.registries).toEqual([{ host, username: 'gardener', password }]);
      expect(
        (await service.request('GET', `/manifest?definition_id=${definition.id}`)).json.data.registries,
      ).toBeUndefined();
      await expect(asking(other.api_key).call('manifest.read', { query })).rejects.toMatchObject({ status: 404 });
      await expect(asking(server.api_key).call('registries.list', {})).rejects.toMatchObject({ status: 403 });
    });
  });
});
