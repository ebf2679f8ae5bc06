import type { EvacuationDetail, EvacuationOrder } from '@hortus/contract/resources/evacuations';
import { until } from '@hortus/testkit/until';
import { beforeEach, describe, expect, it } from 'vitest';
import { defaultRetention } from '../../retention/periods.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { retentionRules } from '../../wiring/retention-rules.ts';
import { openTwoServers } from '../migrations/testing/two-servers.ts';

onBothEngines((engine) => {
  let world: Awaited<ReturnType<typeof openTwoServers>>;
  beforeEach(async () => {
    world = await openTwoServers(engine);
  });

  const order = async (body: EvacuationOrder = {}) =>
    (await world.client.call('evacuations.create', { params: { id: world.here.id }, body })).data;
  const read = async (id: string): Promise<EvacuationDetail> =>
    (await world.client.call('evacuations.read', { params: { id } })).data;
  const begun = async (body: EvacuationOrder = {}) => {
    const { evacuation } = await order(body);
    if (!evacuation) throw new Error('It was not begun.');
    return evacuation;
  };
  /** Lets the servers work until the evacuation has ended. */
  const ends = (id: string, deployed: 'success' | 'failed' = 'success') =>
    until(
      async () => {
        for (const server of [world.there, world.here]) {
          await server.receiveAll('completed');
          await server.deployAll(server === world.there ? deployed : 'success');
        }
        const now = await read(id);
        return now.finished_at !== null && now;
      },
      { describe: 'the end of the evacuation' },
    );
  const statuses = ({ moves }: EvacuationDetail) => moves.map(({ status }) => status);
  const placeOf = async (id: string) => (await world.definition(id)).server_id;

  describe('an evacuation', () => {
    it('moves definitions and tenants to another server, and leaves the server drained', async () => {
      const { here, there, client, tenant, deploy, define } = world;
      const [single, ofTenant, undeployed] = [await deploy(''), await deploy(), await define('')];
      const evacuation = await begun();
      expect(evacuation).toMatchObject({ server_id: here.id, status: 'running', at_once: 2, total: 3 });
      const end = await ends(evacuation.id);
      expect(end).toMatchObject({ status: 'completed', moved: 3, stuck: 0, moving: 0 });
      for (const move of end.moves)
        expect(move).toMatchObject({ to_server_id: there.id, migration_id: expect.any(String), error: null });
      for (const id of [single, ofTenant, undeployed]) expect(await placeOf(id)).toBe(there.id);
      expect((await world.tenantNow()).server_id).toBe(there.id);
      expect((await client.call('servers.read', { params: { id: here.id } })).data.status).toBe('draining');
      expect(end.moves.find(({ tenant_id }) => tenant_id === tenant.id)?.definition_id).toBeNull();
      const types = (await world.service.eventsOf(evacuation.id)).map(({ type }) => type);
      expect(types).toEqual(['audit.evacuation_ordered', 'audit.evacuation_completed']);
      const { data } = await client.call('evacuations.list', { params: { id: here.id } });
      expect(data).toMatchObject([{ id: evacuation.id, total: 3, moved: 3 }]);
    });

    it('moves nothing to a server whose key was given to someone without data:export', async () => {
      const { there, deploy, service } = world;
      const id = await deploy('');
      await service.database.db.updateTable('servers').set({ key_trusted: 0 }).where('id', '=', there.id).execute();
      const { plan } = await order({ dry_run: true });
      const move = plan.moves.find(({ definition_id }) => definition_id === id);
      expect(move).toMatchObject({ to_server_id: null, blockers: [{ reason: 'no_server' }] });
      expect(move?.reason).toContain('there: is not trusted');
    });

    it('is planned first: where each goes and why, and what cannot move', async () => {
      const { here, there, deploy } = world;
      const [going, staying] = [await deploy(''), await deploy('')];
      const instance = await world.instanceOf(staying);
      await world.client.call('instances.stop', { params: { id: instance?.id ?? '' } });
      await until(async () => (await world.instanceOf(staying))?.status === 'stopped', { describe: 'its stop' });
      const { plan, evacuation } = await order({ dry_run: true });
      expect(evacuation).toBeNull();
      expect(plan).toMatchObject({ server_id: here.id, server_name: 'here', left_out: 0 });
      const of = (id: string) => plan.moves.find(({ definition_id }) => definition_id === id);
      expect(of(going)).toMatchObject({
        to_server_id: there.id,
        running: true,
        volumes: ['dbdata', 'uploads'],
        blockers: [],
      });
      expect(of(going)?.reason).toContain('there is the only server that fits');
      expect(of(staying)).toMatchObject({ to_server_id: null, blockers: [{ reason: 'not_running' }] });
      expect((await world.client.call('servers.read', { params: { id: here.id } })).data.status).toBe('online');

      const end = await ends((await begun()).id);
      expect(end).toMatchObject({ status: 'incomplete', stuck: 1 });
      const stuck = end.moves.find(({ definition_id }) => definition_id === staying);
      expect(stuck).toMatchObject({ status: 'stuck', error: expect.stringContaining('is stopped') });
      expect(await placeOf(going)).toBe(there.id);
      expect(await placeOf(staying)).toBe(here.id);
    });

    it('moves only as many at once as ordered', async () => {
      for (let i = 0; i < 3; i++) await world.deploy('');
      const { id } = await begun({ at_once: 1 });
      let max = 0;
      await until(
        async () => {
          const now = await read(id);
          max = Math.max(max, now.moving);
          await world.there.receiveAll('completed');
          await world.there.deployAll('success');
          return now.finished_at !== null;
        },
        { describe: 'the end of the evacuation' },
      );
      expect(max).toBe(1);
      expect((await read(id)).moved).toBe(3);
    });

    it('goes on after a failed migration, which leaves its definition where it was', async () => {
      const id = await world.deploy('');
      const evacuation = await begun();
      const end = await ends(evacuation.id, 'failed');
      expect(end).toMatchObject({ status: 'incomplete' });
      const move = end.moves.find(({ definition_id }) => definition_id === id);
      expect(move).toMatchObject({ status: 'stuck', error: expect.stringContaining('did not start on the target') });
      expect(await placeOf(id)).toBe(world.here.id);
    });

    it('names per server what is missing if none fits', async () => {
      const id = await world.deploy('');
      const { plan } = await order({ dry_run: true, placement: { labels: { site: 'berlin' } } });
      const move = plan.moves.find(({ definition_id }) => definition_id === id);
      expect(move).toMatchObject({ to_server_id: null, blockers: [{ reason: 'no_server' }] });
      expect(move?.reason).toContain('there: has no label site');
    });

    it('begins no further move after it is cancelled, or its server activated', async () => {
      for (let i = 0; i < 3; i++) await world.deploy('');
      const first = await begun({ at_once: 1 });
      await until(async () => (await read(first.id)).moving === 1, { describe: 'the first move' });
      const refused = await world.service.request('POST', `/servers/${world.here.id}/evacuations`, { body: {} });
      expectRefusal(refused, 'VALIDATION_ERROR', 'id');
      expect(refused.json.error.details).toMatchObject({ reason: 'evacuating', evacuation_id: first.id });
      const params = { id: first.id };
      expect((await world.client.call('evacuations.cancel', { params })).data.status).toBe('cancelling');
      expect((await world.client.call('evacuations.cancel', { params })).data.status).toBe('cancelling');
      expect(statuses(await ends(first.id)).toSorted()).toEqual(['cancelled', 'cancelled', 'moved']);
      const second = await begun({ at_once: 1 });
      await until(async () => (await read(second.id)).moving === 1, { describe: 'the first move' });
      await world.client.call('servers.undrain', { params: { id: world.here.id } });
      expect(await ends(second.id)).toMatchObject({ status: 'cancelled', moved: 1 });
    });

    it('of an empty server ends at once, and belongs to one account', async () => {
      const neighbour = await world.service.addAccount();
      const { data } = await world.client.call('servers.register', { body: { name: 'empty', environment: 'staging' } });
      const path = `/servers/${data.id}/evacuations`;
      expectRefusal(await neighbour.request('POST', path, { body: {} }), 'NOT_FOUND');
      expectRefusal(await neighbour.request('GET', path), 'NOT_FOUND');
      const { json } = await world.service.request('POST', path, { body: {} });
      const { id } = json.data.evacuation;
      expect(await ends(id)).toMatchObject({ status: 'completed', total: 0 });
      expectRefusal(await neighbour.request('GET', `/evacuations/${id}`), 'NOT_FOUND');
      expectRefusal(await neighbour.request('POST', `/evacuations/${id}/cancel`), 'NOT_FOUND');
      const rule = retentionRules(defaultRetention).find(({ name }) => name === 'evacuations of servers');
      expect(await rule?.remove(world.service.database, Date.now() + 1_000, 100)).toBe(1);
    });
  });
});
