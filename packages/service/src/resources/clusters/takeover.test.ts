import { generateKeyPairSync } from 'node:crypto';
import { epochHeader } from '@hortus/contract/channel/channel';
import { manifestContext } from '@hortus/template/sealing/contexts';
import { openFields } from '@hortus/template/sealing/sealed-fields';
import { sealingKeyText } from '@hortus/template/sealing/sealing-key';
import { until } from '@hortus/testkit/until';
import { beforeAll, expect, it } from 'vitest';
import { DaemonSocket } from '../../testing/daemon-socket.ts';
import { onDifferingEngines } from '../../testing/engines.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

const capabilities = ['cluster', 'ack', 'wake', 'builtin', 'journal'];

onDifferingEngines('leases of replicas', (engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  /** Connects a member, which renews its lease while it leads. */
  function connect(key: string, name: string) {
    const { privateKey, publicKey } = generateKeyPairSync('x25519');
    const sealing_key = sealingKeyText(publicKey);
    const { port } = service.app.http.server.address() as { port: number };
    const auth = { api_key: key, capabilities, sealing_key, journal: name };
    const daemon = new DaemonSocket(`ws://127.0.0.1:${port}/ws/server`, { auth });
    const reported = () => daemon.of('leadership').at(-1);
    let released = false;
    const renewing = setInterval(() => {
      if (reported()?.leads && daemon.isOpen && !released)
        daemon.send({ type: 'leadership_renewal', epoch: reported().epoch });
    }, 500);
    engine.afterwards(() => {
      clearInterval(renewing);
      daemon.socket.terminate();
    });
    const request = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
      service.request(method, path, { key, headers, ...(body && { body }) });
    return {
      daemon,
      privateKey,
      sealing_key,
      request,
      leads: () => until(() => reported()?.leads, { describe: `${name} to lead` }),
      waits: () => until(() => reported()?.leads === false, { describe: `${name} to wait` }),
      release() {
        released = true;
        daemon.send({ type: 'leadership_release', epoch: reported().epoch });
      },
    };
  }

  /** Registers a cluster whose first member leads while the second waits. */
  async function cluster() {
    const body = { name: 'swarm-1', environment: 'staging', kind: 'cluster' };
    const { id, api_key } = (await service.request('POST', '/servers/register', { body })).json.data;
    const added = await service.request('POST', `/servers/${id}/members`, { body: { name: 'manager-2' } });
    const first = connect(api_key, 'first');
    await first.leads();
    const second = connect(added.json.data.api_key, 'second');
    await second.waits();
    return { id: id as string, first, second };
  }

  async function deploymentOn(serverId: string) {
    const order = {
      species: 'inkwell',
      instance_uid: `blog-${serverId.slice(-8)}`,
      server_id: serverId,
      inputs: { WEB_HOSTNAME: `${serverId.slice(-8)}.example.org`, SMTP_PASSWORD: 'hunter2hunter2' },
    };
    const definition = (await service.request('POST', '/definitions', { body: order })).json.data.id as string;
    const body = { definition_id: definition };
    const id = (await service.request('POST', '/deployments/execute', { body })).json.data.id as string;
    return { id, definition, read: async () => (await service.request('GET', `/deployments/${id}`)).json.data };
  }

  it('reports of a member that does not lead, or of an older epoch, are refused', async () => {
    const { id, first, second } = await cluster();
    const deployment = await deploymentOn(id);
    const path = `/deployments/${deployment.id}/status`;
    const claim = { status: 'running', claim: 'first' };
    const refused = (reason: string) => ({ status: 403, json: { error: { details: { reason } } } });
    const other = await second.request('PATCH', path, { status: 'running', claim: 'second' });
    expect(other).toMatchObject(refused('not_leader'));
    // The same member may repeat it, so it must not take this for the end of its leadership.
    const older = await first.request('PATCH', path, claim, { [epochHeader]: '0' });
    expect(older).toMatchObject(refused('outdated_epoch'));
    expect((await first.request('PATCH', path, claim, { [epochHeader]: '1' })).status).toBe(200);
    expect(await deployment.read()).toMatchObject({ status: 'running' });
    const roles = (await service.request('GET', `/servers/${id}/members`)).json.data.map(
      ({ role }: { role: string }) => role,
    );
    expect(roles).toEqual(['leader', 'standby']);
  });

  it('a deployment of the last leader is offered to the next one, which may continue it', async () => {
    const { id, first, second } = await cluster();
    const deployment = await deploymentOn(id);
    const path = `/deployments/${deployment.id}/status`;
    await first.request('PATCH', path, { status: 'running', claim: 'first' });
    first.release();
    await second.leads();
    expect(await deployment.read()).toMatchObject({ status: 'running', interrupted: true });
    const offered = (await second.request('GET', '/deployments/pending')).json.data;
    expect(offered).toMatchObject([{ id: deployment.id, status: 'running', interrupted: true }]);
    expect((await first.request('PATCH', path, { status: 'success', claim: 'first' })).status).toBe(403);
    expect((await second.request('PATCH', path, { status: 'running', claim: 'second' })).status).toBe(200);
    const { interrupted } = await deployment.read();
    expect(interrupted).toBeUndefined();
    expect((await second.request('PATCH', path, { status: 'success', claim: 'second' })).status).toBe(200);
    expect(await deployment.read()).toMatchObject({ status: 'success' });
  });

  it('an execution of the last leader ends with an unknown outcome and is not sent to the next one', async () => {
    const { id, first, second } = await cluster();
    const { json } = await service.request('POST', `/servers/${id}/prune`, { body: { dry_run: true } });
    const execution = json.execution.id as string;
    expect(await first.daemon.received('action_request')).toMatchObject({ execution_id: execution });
    first.daemon.send({ type: 'action_started', execution_id: execution });
    const read = async () => (await service.request('GET', `/actions/${execution}`)).json.execution;
    await until(async () => (await read()).status === 'running', { describe: 'the execution to run' });
    first.release();
    await second.leads();
    expect(await read()).toMatchObject({ status: 'failed', outcome: 'unknown' });
    first.daemon.send({ type: 'action_completed', execution_id: execution, exit_code: 0 });
    const next = await service.request('POST', `/servers/${id}/prune`, { body: { dry_run: true } });
    expect(await second.daemon.received('action_request')).toMatchObject({ execution_id: next.json.execution.id });
    expect(second.daemon.of('action_request')).toHaveLength(1);
    expect(await read()).toMatchObject({ status: 'failed', outcome: 'unknown' });
    const types = (await service.eventsOf(id)).map(({ type }) => type);
    expect(types.filter((type) => type === 'audit.cluster_leader_changed')).toHaveLength(2);
    expect(types.filter((type) => type === 'audit.cluster_member_pinned')).toHaveLength(2);
  });

  it('a manifest is sealed to every member', async () => {
    const { id, first, second } = await cluster();
    const { definition } = await deploymentOn(id);
    const query = `definition_id=${definition}&sealing_key=${encodeURIComponent(first.sealing_key)}`;
    const { json, status } = await first.request('GET', `/manifest?${query}`);
    expect(status).toBe(200);
    expect(JSON.stringify(json)).not.toContain('hunter2hunter2');
    for (const { privateKey } of [first, second])
      expect(JSON.stringify(openFields(json.data, privateKey, manifestContext(json.data)))).toContain('hunter2hunter2');
    // A member that does not lead gets none, even with its own key.
    const own = `definition_id=${definition}&sealing_key=${encodeURIComponent(second.sealing_key)}`;
    expect((await second.request('GET', `/manifest?${own}`)).status).toBe(403);
  });

  it('a revoked leader is disconnected and another takes over', async () => {
    const { id, first, second } = await cluster();
    const [leader] = (await service.request('GET', `/servers/${id}/members`)).json.data;
    expect((await service.request('DELETE', `/servers/${id}/members/${leader.id}`)).status).toBe(200);
    expect([4401, 4410]).toContain(await first.daemon.closed);
    expect((await service.request('GET', `/servers/${id}`)).json.data).toMatchObject({
      connected: false,
      cluster: { leader_member_id: null, epoch: 2 },
    });
    await second.leads();
    const { cluster: led } = (await service.request('GET', `/servers/${id}`)).json.data;
    // The revocation is an epoch of its own: nothing that names the epoch of the revoked leader counts.
    expect(led).toMatchObject({ epoch: 3 });
  });
});
