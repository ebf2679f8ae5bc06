import { beforeAll, expect, it } from 'vitest';
import type { Principal } from '../../identity/principal.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { type Garden, plantGarden } from './testing/garden.ts';

onBothEngines((engine) => {
  let garden: Garden;
  let owner: Principal;

  beforeAll(async () => {
    garden = await plantGarden(engine);
    owner = await garden.account();
  });

  const planted = (server: { serverId: string }, host: string) =>
    garden.definition(owner, server.serverId, { WEB_HOSTNAME: host });
  const refused = (definition_id: string, host: string) => ({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining(definition_id),
    details: { field: 'definition_id', reason: 'route_taken', definition_id, host, path: '/' },
  });

  it('refuses a route that another definition of the server has, and names that one', async () => {
    const daemon = await garden.server(owner);
    const first = await planted(daemon, 'www.example.org');
    const second = await planted(daemon, 'WWW.example.org');
    await garden.execute(owner, first.id);
    await expect(garden.execute(owner, second.id)).rejects.toMatchObject(refused(first.id, 'www.example.org'));
    // The same on another server is another way in, and one's own is no clash.
    const elsewhere = await planted(await garden.server(owner), 'www.example.org');
    expect(await garden.execute(owner, elsewhere.id)).toMatchObject({ status: 'pending' });
    expect(await garden.execute(owner, first.id)).toMatchObject({ status: 'pending' });
  });

  it('lets a route go when what had it has failed or was cancelled', async () => {
    const daemon = await garden.server(owner);
    const first = await planted(daemon, 'shop.example.org');
    const second = await planted(daemon, 'shop.example.org');
    const { id } = await garden.execute(owner, first.id);
    await garden.report(daemon, { deployment_id: id, status: 'failed', reason: 'unhealthy' });
    const order = await garden.execute(owner, second.id);
    await expect(garden.execute(owner, first.id)).rejects.toMatchObject(refused(second.id, 'shop.example.org'));
    await garden.cancel(owner, order.id);
    expect(await garden.execute(owner, first.id)).toMatchObject({ status: 'pending' });
  });

  it('gives a route to one of two that order at the same time', async () => {
    const daemon = await garden.server(owner);
    const both = [await planted(daemon, 'race.example.org'), await planted(daemon, 'race.example.org')];
    const outcomes = await Promise.allSettled(both.map(({ id }) => garden.execute(owner, id)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
