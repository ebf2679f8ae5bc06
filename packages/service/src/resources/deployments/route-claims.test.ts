import { beforeAll, expect, it } from 'vitest';
import type { Principal } from '../../identity/principal.ts';
import { onDifferingEngines } from '../../testing/engines.ts';
import { type DeploymentServices, openDeploymentServices } from './testing/deployment-services.ts';

onDifferingEngines('concurrent orders', (engine) => {
  let services: DeploymentServices;
  let owner: Principal;

  beforeAll(async () => {
    services = await openDeploymentServices(engine);
    owner = await services.account();
  });

  const definitionWithHost = (server: { serverId: string }, host: string) =>
    services.definition(owner, server.serverId, { WEB_HOSTNAME: host });
  const refused = (definition_id: string, host: string) => ({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining(definition_id),
    details: { field: 'definition_id', reason: 'route_taken', definition_id, host, path: '/' },
  });

  it('a route that another definition on the server uses is refused, naming that definition', async () => {
    const daemon = await services.server(owner);
    const first = await definitionWithHost(daemon, 'www.example.org');
    const second = await definitionWithHost(daemon, 'WWW.example.org');
    await services.execute(owner, first.id);
    await expect(services.execute(owner, second.id)).rejects.toMatchObject(refused(first.id, 'www.example.org'));
    // The same route on another server, or of the same definition, is no conflict.
    const elsewhere = await definitionWithHost(await services.server(owner), 'www.example.org');
    expect(await services.execute(owner, elsewhere.id)).toMatchObject({ status: 'pending' });
    expect(await services.execute(owner, first.id)).toMatchObject({ status: 'pending' });
  });

  it('a route is free when its deployment has failed or was cancelled', async () => {
    const daemon = await services.server(owner);
    const first = await definitionWithHost(daemon, 'shop.example.org');
    const second = await definitionWithHost(daemon, 'shop.example.org');
    const { id } = await services.execute(owner, first.id);
    await services.report(daemon, { deployment_id: id, status: 'failed', reason: 'unhealthy' });
    const order = await services.execute(owner, second.id);
    await expect(services.execute(owner, first.id)).rejects.toMatchObject(refused(second.id, 'shop.example.org'));
    await services.cancel(owner, order.id);
    expect(await services.execute(owner, first.id)).toMatchObject({ status: 'pending' });
  });

  it('one of two concurrent orders gets a route', async () => {
    const daemon = await services.server(owner);
    const both = [
      await definitionWithHost(daemon, 'race.example.org'),
      await definitionWithHost(daemon, 'race.example.org'),
    ];
    const outcomes = await Promise.allSettled(both.map(({ id }) => services.execute(owner, id)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
