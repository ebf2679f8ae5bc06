import { createClient } from '@hortus/client/client';
import { until } from '@hortus/testkit/until';
import { beforeAll, describe, expect, it } from 'vitest';
import { DaemonSocket } from '../../testing/daemon-socket.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

const template = (slug: string, more = '') => `slug: ${slug}
name: Pond
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: docker.io/library/nginx, tag: 1.29.2}
storage: [{name: fish, mount_path: /fish, critical: true}]
smoke: [{tcp: {port: 80}}]
ports: [{container_port: 80}]
${more}
`;

onBothEngines((engine) => {
  let service: RunningService;
  let daemon: DaemonSocket;
  let serverId: string;
  let number = 0;

  beforeAll(async () => {
    service = await startApp(engine);
    const { data } = await service.client.call('servers.register', {
      body: { name: 'test server', environment: 'development', deploy_tests: true },
    });
    serverId = data.id;
    const auth = { api_key: data.api_key, capabilities: ['builtin', 'journal', 'ack'] };
    daemon = new DaemonSocket(`${service.base.replace('http', 'ws')}/ws/server`, { auth });
    engine.afterwards(() => daemon.socket.terminate());
    await daemon.received('authenticated');
  });

  const post = (path: string, body?: unknown) => service.request('POST', path, body === undefined ? {} : { body });
  async function draft(more = ''): Promise<string> {
    const { id } = (await post('/templates', { source: template(`pond-${++number}`, more) })).json.data;
    await post(`/templates/${id}/validate`);
    return id;
  }
  const tests = async (id: string) => (await service.client.call('drafts.tests', { params: { id } })).data;
  const test = async (id: string, body: object = {}) =>
    (await service.client.call('drafts.test', { params: { id }, body })).data;
  const stands = (id: string, what: object) =>
    until(async () => matches((await tests(id))[0], what), { describe: JSON.stringify(what) });
  const report = (deployment: string, status: 'success' | 'failed', more = {}) =>
    service.client.call('deployments.status', { params: { id: deployment }, body: { status, ...more } });
  /** The next request of this kind to the daemon, and the result it reports. */
  async function asked(slug: string, of: string): Promise<string> {
    const find = () =>
      daemon.of('action_request').find((item) => item.action.slug === slug && item.container_name === of);
    return (await until(find, { describe: `${slug} of ${of}` })).execution_id;
  }
  const notify = (execution_id: string, error?: string) =>
    daemon.send(
      error === undefined
        ? { type: 'action_completed', execution_id, exit_code: 0, output: 'passed  a connection\n' }
        : { type: 'action_failed', execution_id, error },
    );
  const nameOf = async (definition: string) =>
    (await service.client.call('definitions.read', { params: { id: definition } })).data.instance_uid;

  it('a test does not go to a server that was registered without data:export, unless it is named', async () => {
    const permissions = ['servers:write' as const];
    const { data: thief } = await service.client.call('keys.create', { body: { name: 'thief', permissions } });
    const body = { name: 'lure', environment: 'development', deploy_tests: true };
    const { data: lure } = (await service.request('POST', '/servers/register', { body, key: thief.key })).json;
    await createClient({ baseUrl: service.base, key: lure.api_key }).call('deployments.pending', {});
    const id = await draft();
    const begun = await test(id);
    expect(begun.server_id).toBe(serverId);
    await report(begun.deployment_id, 'failed');
    const set = (deploy_tests: boolean) =>
      service.client.call('servers.update', { params: { id: serverId }, body: { deploy_tests } });
    await set(false);
    const refused = await post(`/templates/${await draft()}/test`, {});
    expectRefusal(refused, 'VALIDATION_ERROR', 'server_id');
    expect(refused.json.error.details.reason).toBe('untrusted_server');
    await set(true);
    await service.request('DELETE', `/servers/${lure.id}?force=true`);
  });

  it('a template without smoke checks passes once it is deployed, without an order to the daemon', async () => {
    const source = template(`pond-${++number}`).replace(/^smoke: .*\n/m, '');
    const { id } = (await post('/templates', { source })).json.data;
    await post(`/templates/${id}/validate`);
    const begun = await test(id);
    const name = await nameOf(begun.definition_id);
    await report(begun.deployment_id, 'success');
    await stands(id, { status: 'passed', output: 'The template declares no smoke test.\n' });
    notify(await asked('hortus.release', name));
    await stands(id, { cleared: true });
    expect(daemon.of('action_request').filter(({ container_name }) => container_name === name)).toHaveLength(1);
    expect((await post(`/templates/${id}/promote`)).status).toBe(200);
  });

  it('a template must pass a deploy test before it is published, and the test leaves nothing behind', async () => {
    const id = await draft();
    expectRefusal(await post(`/templates/${id}/promote`), 'VALIDATION_ERROR', 'deploy_test');
    const begun = await test(id);
    expect(begun).toMatchObject({ status: 'deploying', server_id: serverId, reason: null, cleared: false });
    const name = await nameOf(begun.definition_id);

    await report(begun.deployment_id, 'success');
    const smoke = await asked('hortus.smoke', name);
    expect((await tests(id))[0]?.status).toBe('testing');
    expectRefusal(await post(`/templates/${id}/promote`), 'VALIDATION_ERROR', 'deploy_test');
    notify(smoke);
    await stands(id, { status: 'passed' });

    const release = await asked('hortus.release', name);
    const order = daemon.of('action_request').find(({ execution_id }) => execution_id === release);
    expect(order.params).toEqual({ remove_volumes: true, confirm: ['fish'] });
    notify(release);
    await stands(id, { cleared: true, output: 'passed  a connection\n', error: null });
    const { data } = await service.client.call('definitions.read', { params: { id: begun.definition_id } });
    expect(data).toMatchObject({ status: 'archived', deploy_test: true });
    expect((await post(`/templates/${id}/promote`)).json.data.status).toBe('published');
  });

  it('a deploy test is hidden from ordinary lists, and marked where it is shown', async () => {
    const id = await draft();
    const { definition_id, deployment_id } = await test(id);
    await report(deployment_id, 'success');
    const { client } = service;
    expect((await client.call('definitions.list', {})).data.map((item) => item.id)).not.toContain(definition_id);
    expect((await client.call('instances.list', {})).data).toEqual([]);
    expect((await client.call('instances.stats', {})).data.total).toBe(0);
    expect((await client.call('instances.list', { query: { definition_id } })).data).toHaveLength(1);
    expect((await client.call('deployments.read', { params: { id: deployment_id } })).data.kind).toBe('test');
  });

  describe('a deploy test that fails', () => {
    it('says what failed, and removes what was created', async () => {
      const id = await draft();
      const begun = await test(id);
      await report(begun.deployment_id, 'failed', { error: 'main never became healthy', reason: 'unhealthy' });
      await stands(id, { status: 'failed', reason: 'deployment', error: 'main never became healthy' });
      notify(await asked('hortus.release', await nameOf(begun.definition_id)));
      await stands(id, { cleared: true });
      expectRefusal(await post(`/templates/${id}/promote`), 'VALIDATION_ERROR', 'deploy_test');
    });

    it('may fail by its smoke test, and cleanup is retried until it succeeds', async () => {
      const id = await draft();
      const begun = await test(id);
      const name = await nameOf(begun.definition_id);
      await report(begun.deployment_id, 'success');
      notify(await asked('hortus.smoke', name), 'a connection to main on port 80: saw nothing');
      await stands(id, { status: 'failed', reason: 'smoke', error: 'a connection to main on port 80: saw nothing' });
      const first = await asked('hortus.release', name);
      notify(first, 'the engine is away');
      const again = () =>
        daemon
          .of('action_request')
          .find(
            (item) =>
              item.action.slug === 'hortus.release' && item.container_name === name && item.execution_id !== first,
          );
      notify((await until(again, { describe: 'another release' })).execution_id);
      // The next attempt to clean up comes after a minute.
      await until(
        async () => {
          await service.database.db
            .updateTable('jobs')
            .set({ run_at: 0 })
            .where('kind', '=', 'templates.test')
            .execute();
          return (await tests(id))[0]?.cleared;
        },
        { describe: 'nothing left', every: 200 },
      );
    });

    it('fails after its time limit', async () => {
      const id = await draft();
      const begun = await test(id);
      await service.database.db
        .updateTable('template_tests')
        .set({ deadline_at: 0 })
        .where('id', '=', begun.id)
        .execute();
      await service.database.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'templates.test').execute();
      await stands(id, { status: 'failed', reason: 'timeout', cleared: true });
      const { data } = await service.client.call('deployments.read', { params: { id: begun.deployment_id } });
      expect(data).toMatchObject({ status: 'failed', reason: 'cancelled' });
    });
  });

  it('a deploy test locks the template, and counts only for that content', async () => {
    const id = await draft();
    const source = template(`pond-${number}`, 'env: {DEPTH: "2"}');
    const begun = await test(id);
    expectRefusal(await post('/templates', { source }), 'VALIDATION_ERROR', 'id');
    expectRefusal(await post(`/templates/${id}/test`, {}), 'VALIDATION_ERROR', 'id');
    await report(begun.deployment_id, 'success');
    notify(await asked('hortus.smoke', await nameOf(begun.definition_id)));
    await stands(id, { status: 'passed' });
    expect((await post('/templates', { source })).status).toBe(201);
    await post(`/templates/${id}/validate`);
    expectRefusal(await post(`/templates/${id}/promote`), 'VALIDATION_ERROR', 'deploy_test');
  });

  it('a deploy test generates the inputs it can, and asks for the rest by name', async () => {
    const id = await draft(`inputs:
  required:
    - {name: WEB_HOSTNAME, type: domain}
    - {name: TITLE, type: string, min: 6}
    - {name: CODE, type: string, pattern: "^[A-Z]{3}[0-9]{3}$"}
    - {name: SECRET, type: password}
secrets: {LICENCE: {external: true}}`);
    const missing = async (inputs: object) => {
      const { details } = (await post(`/templates/${id}/test`, { inputs })).json.error;
      return details.problems.map(({ field }: { field: string }) => field);
    };
    expect(await missing({})).toEqual(['inputs.CODE', 'inputs.LICENCE']);
    expect(await missing({ CODE: 'ABC123' })).toEqual(['inputs.LICENCE']);
    const begun = await test(id, { inputs: { CODE: 'ABC123', LICENCE: 'a licence of ours' } });
    const { data } = await service.client.call('definitions.read', { params: { id: begun.definition_id } });
    expect(data.inputs).toMatchObject({
      CODE: 'ABC123',
      WEB_HOSTNAME: `${data.instance_uid}.localhost`,
      TITLE: 'testtt',
    });
    expect(data.secret_inputs.sort()).toEqual(['LICENCE', 'SECRET']);
  });

  it('a deploy test needs a server for tests; accounts without one need no test', async () => {
    const neighbour = await service.addAccount();
    const { id } = (await neighbour.request('POST', '/templates', { body: { source: template('brook') } })).json.data;
    expectRefusal(
      await neighbour.request('POST', `/templates/${id}/test`, { body: {} }),
      'VALIDATION_ERROR',
      'server_id',
    );
    await neighbour.request('POST', `/templates/${id}/validate`);
    expect((await neighbour.request('POST', `/templates/${id}/promote`)).json.data.status).toBe('published');
  });
});

const matches = (found: object | undefined, wanted: object): boolean =>
  Object.entries(wanted).every(([name, value]) => (found as Record<string, unknown> | undefined)?.[name] === value);
