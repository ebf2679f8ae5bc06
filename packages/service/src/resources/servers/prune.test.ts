import { beforeAll, describe, expect, it } from 'vitest';
import { DaemonSocket } from '../../testing/daemon-socket.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  async function plot() {
    const { data } = await service.client.call('servers.register', { body: { name: 'bed', environment: 'staging' } });
    const define = async (instance_uid: string) => {
      const inputs = { WEB_HOSTNAME: `${instance_uid}.example.org` };
      const body = { species: 'inkwell', instance_uid, server_id: data.id, inputs };
      return (await service.client.call('definitions.create', { body })).data.id;
    };
    return { id: data.id, key: data.api_key, define };
  }

  describe('a prune', () => {
    it('sends the daemon the names of existing instances, and returns its response', async () => {
      const { id, key, define } = await plot();
      const uid = (name: string) => `${name}-${engine.name}`;
      await define(uid('wanted'));
      const kept = await define(uid('kept'));
      const { data } = await service.client.call('deployments.execute', { body: { definition_id: kept } });
      await service.client.call('deployments.report', { body: { deployment_id: data.id, status: 'success' } });
      await service.client.call('definitions.archive', { params: { id: kept }, query: { container: 'keep' } });
      const gone = await define(uid('gone'));
      await service.client.call('definitions.archive', { params: { id: gone } });
      const auth = { api_key: key, capabilities: ['builtin', 'journal', 'ack'] };
      const daemon = new DaemonSocket(service.base.replace('http', 'ws').concat('/ws/server'), { auth });
      const body = { dry_run: false, volumes: ['gone_data'] };
      const { execution } = await service.client.call('servers.prune', { params: { id }, body });
      expect(execution).toMatchObject({ instance_id: null, server_id: id, slug: 'hortus.prune', status: 'pending' });
      const request = await daemon.received('action_request');
      expect(request).toMatchObject({
        execution_id: execution.id,
        container_name: '',
        action: { slug: 'hortus.prune', type: 'builtin' },
        params: { dry_run: false, volumes: ['gone_data'] },
      });
      expect(request.params.living.sort()).toEqual([uid('kept'), uid('wanted')]);
      daemon.send({ type: 'action_started', execution_id: execution.id });
      daemon.send({ type: 'action_completed', execution_id: execution.id, exit_code: 0, output: '{"images":[]}' });
      await daemon.received('result_recorded');
      const ended = await service.client.call('actions.read', { params: { execution_id: execution.id } });
      expect(ended.execution).toMatchObject({ status: 'completed', output: '{"images":[]}', instance_id: null });
      daemon.socket.close();
      await daemon.closed;
    });

    it('is a dry run by default, and needs a server of the account', async () => {
      const { id } = await plot();
      const { json, status } = await service.request('POST', `/servers/${id}/prune`);
      expect([status, json.execution.params.dry_run]).toEqual([202, true]);
      const neighbour = await service.addAccount();
      expect((await neighbour.request('POST', `/servers/${id}/prune`, { body: {} })).status).toBe(404);
      const wrong = await service.request('POST', `/servers/${id}/prune`, { body: { all: true } });
      expectRefusal(wrong, 'VALIDATION_ERROR', 'all');
    });
  });
});
