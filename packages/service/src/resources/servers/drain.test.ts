import { until } from '@hortus/testkit/until';
import { beforeAll, describe, expect, it } from 'vitest';
import { DaemonSocket } from '../../testing/daemon-socket.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  let number = 0;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  async function plot() {
    const { client } = service;
    const { data } = await client.call('servers.register', { body: { name: 'bed', environment: 'staging' } });
    const { id, api_key } = data;
    const read = async () => (await client.call('servers.read', { params: { id } })).data;
    const define = async () => {
      const uid = `drained-${++number}`;
      const inputs = { WEB_HOSTNAME: `${uid}.example.org` };
      const body = { species: 'inkwell', instance_uid: uid, server_id: id, inputs };
      return (await client.call('definitions.create', { body })).data.id;
    };
    const execute = (definition_id: string) =>
      service.request('POST', '/deployments/execute', { body: { definition_id } });
    return { id, api_key, read, define, execute };
  }
  const drain = async (id: string) => (await service.client.call('servers.drain', { params: { id } })).data;
  const undrain = async (id: string) => (await service.client.call('servers.undrain', { params: { id } })).data;

  describe('a server that is drained', () => {
    it('refuses new deployments, lists what is to be moved, and finishes earlier orders', async () => {
      const { id, define, execute } = await plot();
      const [running, waiting, late] = [await define(), await define(), await define()];
      const ended = (deployment: string) =>
        service.client.call('deployments.report', { body: { deployment_id: deployment, status: 'success' } });
      await ended((await execute(running)).json.data.id);
      const ordered = (await execute(waiting)).json.data.id;
      const drained = await drain(id);
      expect(drained).toMatchObject({ id, status: 'draining' });
      expect(drained.instances).toMatchObject([
        { definition_id: running, instance_uid: 'drained-1', status: 'running' },
      ]);
      const refused = await execute(late);
      expectRefusal(refused, 'VALIDATION_ERROR', 'server_id');
      expect(refused.json.error.details.reason).toBe('draining');
      expect((await ended(ordered)).data.status).toBe('success');
      expect((await drain(id)).instances.map(({ definition_id }) => definition_id)).toEqual([running, waiting]);
      expect(await undrain(id)).toMatchObject({ status: 'offline' });
      expect((await execute(late)).status).toBe(201);
      const types = (await service.eventsOf(id)).map(({ type }) => type).filter((type) => type.includes('drain'));
      expect(types).toEqual(['audit.server_drained', 'audit.server_undrained']);
    });

    it('is online again immediately if its daemon stayed connected, and stays drained when that reconnects', async () => {
      const { id, api_key, read } = await plot();
      await drain(id);
      const daemon = new DaemonSocket(service.base.replace('http', 'ws').concat('/ws/server'), { auth: { api_key } });
      await until(async () => (await read()).connected, { describe: 'the daemon to be connected' });
      expect((await read()).status).toBe('draining');
      expect((await undrain(id)).status).toBe('online');
      expect((await undrain(id)).status).toBe('online');
      daemon.socket.close();
      await daemon.closed;
    });

    it('must belong to the account', async () => {
      const { id } = await plot();
      const neighbour = await service.addAccount();
      expect((await neighbour.request('POST', `/servers/${id}/drain`)).status).toBe(404);
      expect((await neighbour.request('POST', `/servers/${id}/undrain`)).status).toBe(404);
    });
  });
});
