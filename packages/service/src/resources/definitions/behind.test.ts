import { canonical } from '@hortus/template/canonical/canonical';
import { parse } from '@hortus/template/source/parse';
import { SEED } from '@hortus/template/testing/inkwell';
import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';
import { publish } from '../templates/publish.ts';

onBothEngines((engine) => {
  let service: RunningService;
  let serverId: string;
  beforeAll(async () => {
    service = await startApp(engine);
    const body = { name: 'server-1', environment: 'staging' as const };
    serverId = (await service.client.call('servers.register', { body })).data.id;
  });

  /** Published by another process, unknown to this one. */
  async function publishedElsewhere(slug: string): Promise<string> {
    const spec = canonical(parse(SEED.replace('slug: seed', `slug: ${slug}`)).value as never);
    return (await publish(service.database, spec, null, () => new Error('taken'))).id;
  }
  const create = (body: object) =>
    service.request('POST', '/definitions', { body: { server_id: serverId, inputs: {}, ...body } });

  it('a definition can be created from a template that another process just published, in both forms', async () => {
    await publishedElsewhere('moss');
    expect((await create({ species: 'moss', instance_uid: 'moss-1' })).status).toBe(201);
    const template_id = await publishedElsewhere('fern');
    const params = { template_id, name: 'fern', params: {}, inputs: undefined };
    expect((await create(params)).status).toBe(201);
    expectRefusal(await create({ species: 'weed', instance_uid: 'weed-1' }), 'VALIDATION_ERROR', 'species');
  });

  it('definitions that another process created from such a template can be read and listed', async () => {
    const { id } = (await create({ species: 'seed', instance_uid: 'seed-1' })).json.data;
    const { db } = service.database;
    const changedTo = async (template_id: string) => {
      await db.updateTable('definitions').set({ template_id }).where('id', '=', id).execute();
      await db.updateTable('revisions').set({ template_id }).where('definition_id', '=', id).execute();
    };
    await changedTo(await publishedElsewhere('lichen'));
    expect((await service.request('GET', `/definitions/${id}`)).json.data.species).toBe('lichen');
    await changedTo(await publishedElsewhere('algae'));
    expect((await service.request('GET', '/definitions')).status).toBe(200);
    await changedTo(await publishedElsewhere('cress'));
    const ordered = await service.request('POST', '/deployments/execute', { body: { definition_id: id } });
    expect(ordered.status).toBe(201);
  });
});
