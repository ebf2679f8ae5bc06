import { createHmac } from 'node:crypto';
import { startReceiver } from '@hortus/testkit/receiver';
import { expect, test } from 'vitest';
import { ended, finished, openInstallation } from '../docker/installation.ts';
import { AWKWARD } from '../docker/test-species.ts';

const secret = 'the secret of the receiver';

test('our daemon completes the published flow from the catalog to a webhook', { timeout: 240_000 }, async () => {
  await using installation = await openInstallation();
  await using receiver = await startReceiver();
  installation.startDaemon();
  await installation.online();
  const { client } = installation.service;

  // 1 and 2: list, inspect.
  const { data: templates } = await client.call('templates.list');
  const listed = templates.find(({ species }) => species === 'website');
  const { data: template } = await client.call('templates.read', { params: { species: 'website' } });
  expect(template).toMatchObject({ id: listed?.id, spec: { image: 'hortus.test/page:1' } });
  await client.call('webhooks.create', {
    body: {
      url: receiver.url,
      events: ['deployment.started', 'deployment.success', 'instance.started', 'action.completed'],
      secret,
    },
  });

  // 3: the server is registered already. 4: define, in both shapes.
  const first = await client.call('definitions.create', {
    body: {
      species: 'website',
      instance_uid: 'first',
      server_id: installation.serverId,
      inputs: { GREETING: AWKWARD },
    },
  });
  const second = await client.call('definitions.create', {
    body: { template_id: template.id, name: 'Second website', server_id: installation.serverId, params: {} },
  });
  expect(second.data).toMatchObject({ name: 'Second website', status: 'pending', current_revision: 1 });

  // 5 and 6: execute, poll. Both forms.
  const execution = await client.call('deployments.execute', { body: { definition_id: first.data.id } });
  expect(execution.data).toMatchObject({
    definition_id: first.data.id,
    server_id: installation.serverId,
    status: 'pending',
  });
  const other = await client.call('deployments.create', {
    body: { definition_id: second.data.id, server_id: installation.serverId },
  });
  const deployed = await finished(installation, execution.data.id);
  expect(deployed, deployed.logs.map(({ message }) => message).join('\n')).toMatchObject({ status: 'success' });
  expect(deployed.logs.map(({ step }) => step)).toContain('wait_healthy');
  expect(await finished(installation, other.data.id)).toMatchObject({ status: 'success' });

  // 7: instances.
  const { data: instances } = await client.call('instances.list');
  const instance = instances.find(({ definition_id }) => definition_id === first.data.id);
  expect(instance).toMatchObject({ status: 'running', health: 'healthy', container_name: 'first', revision: 1 });
  expect((await client.call('definitions.read', { params: { id: first.data.id } })).data.status).toBe('active');

  // The engine agrees with the manifest.
  const { engine } = installation;
  const facts = await engine.inspect(instance?.container_id ?? '');
  expect(facts).toMatchObject({
    name: 'first',
    state: 'running',
    labels: {
      'hortus.managed': 'true',
      'hortus.server': installation.serverId,
      'hortus.instance': 'first',
      'hortus.definition': first.data.id,
      'hortus.spec_hash': template.spec_hash,
    },
  });
  expect(facts?.env).toContain(`GREETING=${AWKWARD}`);
  expect(JSON.stringify(facts)).toContain('first_data');
  expect(JSON.stringify(facts)).toContain(String(64 * 2 ** 20));

  // Actions: list, execute (202, execution.id), poll.
  const id = instance?.id ?? '';
  const actions = await client.call('actions.list', { params: { id } });
  expect(actions).toMatchObject({
    success: true,
    template_species: 'website',
    backup: {
      strategy: 'volume',
      volumes: [{ name: 'data', critical: true }],
      dump_action: null,
      schedule_hint: 'daily',
    },
  });
  expect(actions.actions.map(({ slug }) => slug)).toEqual(['note', 'wait', 'lines', 'fail']);
  const noted = await client.call('actions.execute', {
    params: { id, slug: 'note' },
    body: { params: { line: AWKWARD } },
  });
  expect(await ended(installation, noted.execution.id)).toMatchObject({
    status: 'completed',
    exit_code: 0,
    output: `wrote ${AWKWARD}\n`,
  });
  const read = await client.call('actions.execute', { params: { id, slug: 'lines' }, body: { params: {} } });
  expect(await ended(installation, read.execution.id)).toMatchObject({ status: 'completed', output: `${AWKWARD}\n` });
  const failing = await client.call('actions.execute', { params: { id, slug: 'fail' }, body: {} });
  expect(await ended(installation, failing.execution.id)).toMatchObject({
    status: 'failed',
    exit_code: 3,
    output: 'no\n',
  });

  // The receiver got each event, signed.
  const types = () => receiver.requests.map(({ json }) => (json as { type: string }).type);
  await receiver.waitFor(() =>
    ['deployment.started', 'deployment.success', 'instance.started', 'action.completed'].every((type) =>
      types().includes(type),
    ),
  );
  for (const { rawBody, headers } of receiver.requests)
    expect(headers['x-service-signature']).toBe(createHmac('sha256', secret).update(rawBody).digest('hex'));
});

test('a species that never becomes healthy fails with a reason and a log', {
  timeout: 240_000,
}, async () => {
  await using installation = await openInstallation();
  installation.startDaemon();
  await installation.online();
  const { client } = installation.service;
  const body = { species: 'unhealthy', instance_uid: 'unhealthy', server_id: installation.serverId, inputs: {} };
  const { data } = await client.call('definitions.create', { body });
  const { data: deployment } = await client.call('deployments.execute', { body: { definition_id: data.id } });
  const outcome = await finished(installation, deployment.id);
  expect(outcome).toMatchObject({ status: 'failed', reason: 'unhealthy' });
  expect(outcome.error).toContain('main');
  expect(outcome.logs.some(({ level }) => level === 'error')).toBe(true);
});
