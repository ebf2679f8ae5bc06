import { deployWhole, type ReportedServer } from '@hortus/testkit/reported-servers';
import { until } from '@hortus/testkit/until';
import { UpdateDaemon } from '@hortus/testkit/update-daemon';
import type { ServiceProcess } from '../service-process.ts';
import { recipeSpec } from './account/recipe-spec.ts';

/**
 * Fills what is beside the instances: a tenant, a webhook, a connection, a channel, a key, an invite, a template, a recipe, and an
 * upgrade that waits. Nothing that happens in a test is sent to their addresses. Returns an id of each, by its name.
 */
export async function fillRecords(service: ServiceProcess, server: ReportedServer): Promise<Record<string, string>> {
  const { client } = service;
  const tenant = await client.call('tenants.create', { body: { name: 'Rose Nursery', server_id: server.id } });
  const webhook = await client.call('webhooks.create', {
    body: { url: 'https://hooks.example.org/hortus', events: ['action.failed'], secret: 'a secret of the receiver' },
  });
  await client.call('connections.create', {
    body: {
      name: 'Office mail',
      class: 'email.smtp',
      attributes: { host: 'smtp.example.org', port: '587', username: 'noreply', password: 'a long password' },
    },
  });
  const channel = await client.call('notifications.createChannel', {
    body: { type: 'url', name: 'Team', url: 'https://chat.example.org/hortus' },
  });
  await client.call('notifications.updateChannel', { params: { id: channel.data.id }, body: { status: 'paused' } });
  await client.call('keys.create', { body: { name: 'Pipeline', permissions: ['definitions:read'] } });
  await client.call('members.invite', { body: { email: 'reed@example.org' } });
  const draft = await client.call('drafts.create', { body: { source: recipeSpec('notice-board', '1.0.0', '1.29.2') } });
  const recipe = await submit(client, '1.0.0', '1.29.2');
  await client.call('recipes.approve', { params: { id: recipe } });
  await deployWhole(service, server, 'inkwell', 'inkwell');
  await client.call('recipes.approve', { params: { id: await submit(client, '1.1.0', '1.29.3') } });
  await submit(client, '1.2.0', '1.29.4');
  await client.call('upgrades.scan');
  const [upgrade] = (await client.call('upgrades.list')).data;
  const [definition] = (await client.call('definitions.list')).data;
  const daemonUpdate = await updateDaemons(service);
  const confirmation = await client.call('confirmations.create', {
    body: { endpoint: 'definitions.archive', params: { id: definition?.id ?? '' }, reason: 'Not used since May.' },
  });
  return {
    confirmation: confirmation.data.id,
    cluster: await addCluster(service),
    daemonUpdate,
    tenant: tenant.data.id,
    webhook: webhook.data.id,
    template: draft.data.id,
    recipe,
    upgrade: upgrade?.id ?? '',
  };
}

/** A cluster of two managers whose nodes were reported, one of them lost. */
export async function addCluster({ client }: Pick<ServiceProcess, 'client'>): Promise<string> {
  const body = { name: 'glasshouses', environment: 'production', kind: 'cluster' } as const;
  const { id } = (await client.call('servers.register', { body })).data;
  await client.call('clusters.addMember', { params: { id }, body: { name: 'manager-2' } });
  const tasks = [{ instance_uid: 'almanac', component: 'app', running: 2 }];
  const capacity = { cpus: 4, memory_bytes: 8_589_934_592 };
  const node = { availability: 'active', state: 'ready', capacity, labels: { zone: 'north' } } as const;
  const nodes = [
    { ...node, id: 'aa1', hostname: 'palm-house', role: 'manager' as const, tasks },
    { ...node, id: 'bb2', hostname: 'fernery', role: 'worker' as const, state: 'down' as const },
    { ...node, id: 'cc3', hostname: 'orchid-house', role: 'worker' as const, availability: 'drain' as const },
  ];
  await client.call('clusters.reportNodes', { params: { id }, body: { nodes } });
  return id;
}

/** An update of two daemons that is halted, because the first one refused. */
async function updateDaemons(service: ServiceProcess): Promise<string> {
  const { client } = service;
  const [first, second] = [
    await UpdateDaemon.connected(service, 'greenhouse', { environment: 'development', labels: { site: 'berlin' } }),
    await UpdateDaemon.connected(service, 'orangery', { labels: { site: 'berlin' } }),
  ];
  const body = { servers: [first.serverId, second.serverId], stages: [1, '100%'] };
  const { id } = (await client.call('daemon-updates.create', { body })).data;
  await first.report('refused', { reason: 'from_source', message: 'The daemon runs from source.' });
  const isHalted = async () => (await client.call('daemon-updates.read', { params: { id } })).data.status === 'halted';
  await until(isHalted, { describe: 'the halt of the update' });
  return id;
}

async function submit(client: ServiceProcess['client'], version: string, tag: string): Promise<string> {
  const body = {
    slug: 'inkwell',
    name: 'Inkwell',
    description: 'A blog for one.',
    spec: recipeSpec('inkwell', version, tag),
  };
  return (await client.call('recipes.submit', { body })).data.id;
}
