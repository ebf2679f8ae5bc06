import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallOf } from '@hortus/client/client';
import { addressOf } from '@hortus/client/request';
import { type EndpointName, type Endpoints, endpoints } from '@hortus/contract/endpoints';
import { SEED } from '@hortus/template/inkwell.fixture';
import { until } from '@hortus/testkit/until';
import { adminEmail, adminPassword, type Caller, type Options, publicUrl } from './running-service.ts';

/** What a request is made with: a key speaks for the caller unless the row wants a signed-in person. */
type Good<Name extends EndpointName> = CallOf<Endpoints[Name]> & { readonly headers?: Record<string, string> };

/**
 * One request for every row of the contract that the service must answer with success. Each makes what it needs, so they
 * work in any order and for any caller. A row that is missing here does not compile.
 */
type GoodRequests = { readonly [Name in EndpointName]: (caller: Caller) => Promise<Good<Name>> | Good<Name> };

let number = 0;
const fresh = (word: string) => `${word}-${++number}`;

const registration = () => ({ name: fresh('shed'), environment: 'development' as const, description: 'Behind it' });
const aServer = async ({ client }: Caller) => (await client.call('servers.register', { body: registration() })).data.id;
const ofServer = async (caller: Caller) => ({ params: { id: await aServer(caller) } });

const order = async (caller: Caller) => ({
  species: 'inkwell',
  instance_uid: fresh('blog'),
  name: 'Our blog',
  server_id: await aServer(caller),
  inputs: { WEB_HOSTNAME: 'blog.example.org', SMTP_PASSWORD: 'hunter2hunter2' },
  profile: 'production',
  variant: 'alpine',
});
const aDefinition = async (caller: Caller) =>
  (await caller.client.call('definitions.create', { body: await order(caller) })).data.id;
const ofDefinition = async (caller: Caller) => ({ params: { id: await aDefinition(caller) } });

const aTenant = async (caller: Caller) => {
  const body = { name: fresh('Nursery'), server_id: await aServer(caller) };
  return (await caller.client.call('tenants.create', { body })).data.id;
};
const ofTenant = async (caller: Caller) => ({ params: { id: await aTenant(caller) } });

const savedConfig = () => ({
  name: fresh('House style'),
  species: 'inkwell',
  profile: 'production',
  variant: 'alpine',
  inputs: { SITE_TITLE: 'Notes', SMTP_PASSWORD: 'hunter2hunter2' },
});
const ofConfig = async ({ client }: Caller) => ({
  params: { id: (await client.call('saved-configs.create', { body: savedConfig() })).data.id },
});

const submission = () => {
  const slug = fresh('recipe');
  const spec = SEED.replace('slug: seed', `slug: ${slug}`);
  return { slug, name: 'A recipe', description: 'Grows anywhere', spec };
};
const aRecipe = async ({ client }: Caller) => (await client.call('recipes.submit', { body: submission() })).data;
const ofRecipe = async (caller: Caller) => ({ params: { id: (await aRecipe(caller)).id } });

const draftText = () => `slug: ${fresh('draft')}
name: Draft
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: docker.io/library/nginx, tag: 1.29.2}
# A spoilt last word is still a template.`;
const ofDraft = async ({ client }: Caller) => ({
  params: { id: (await client.call('drafts.create', { body: { source: draftText() } })).data.id },
});

/** Where templates are tried, what was not tried is not published. */
const withoutTestServers = async ({ client }: Caller) => {
  for (const { id, deploy_tests } of (await client.call('servers.list', { query: { per_page: 100 } })).data)
    if (deploy_tests) await client.call('servers.update', { params: { id }, body: { deploy_tests: false } });
};

const aDeployment = async (caller: Caller) =>
  (await caller.client.call('deployments.execute', { body: { definition_id: await aDefinition(caller) } })).data.id;
const ofDeployment = async (caller: Caller) => ({ params: { id: await aDeployment(caller) } });
const logs = [{ at: '2026-01-02T03:04:05Z', level: 'info' as const, message: 'Pulled the image', step: 'pull' }];
/** Two deployments that ended well: the second can be rolled back. */
const twoDeployed = async (caller: Caller) => {
  const body = { definition_id: await aDefinition(caller) };
  let id = '';
  for (let i = 0; i < 2; i++) {
    ({ id } = (await caller.client.call('deployments.execute', { body })).data);
    await caller.client.call('deployments.status', { params: { id }, body: { status: 'success' } });
  }
  return { params: { id } };
};

/** Deployed and running. */
const anInstance = async (caller: Caller) => {
  const body = { definition_id: await aDefinition(caller) };
  const { id } = (await caller.client.call('deployments.execute', { body })).data;
  await caller.client.call('deployments.status', { params: { id }, body: { status: 'success' } });
  const [instance] = (await caller.client.call('instances.list', { query: body })).data;
  return instance?.id ?? '';
};
const ofInstance = async (caller: Caller) => ({ params: { id: await anInstance(caller) } });
const anExecution = async (caller: Caller) => {
  const params = { id: await anInstance(caller), slug: 'db-dump' };
  return (await caller.client.call('actions.execute', { params, body: {} })).execution.id;
};
const ofExecution = async (caller: Caller) => ({ params: { execution_id: await anExecution(caller) } });

/** Made, as far as its daemon says. */
const aBackup = async (caller: Caller) => {
  const { client } = caller;
  const { execution, backup } = await client.call('backups.create', { params: { id: await anInstance(caller) } });
  await caller.handOver(execution.id);
  const body = { status: 'completed' as const, result: keptBy(backup) };
  await client.call('actions.report', { params: { execution_id: execution.id }, body });
  return backup;
};
/** What a daemon says of a backup that it has made. */
const keptBy = ({ id, instance_uid, definition_id }: { id: string; instance_uid: string; definition_id: string }) => ({
  manifest_sha256: '1'.repeat(64),
  address: '/var/lib/hortusd/backups',
  manifest: {
    format: 1,
    backup_id: id,
    instance_uid,
    definition_id,
    species: 'inkwell',
    template_version: '1.2.0',
    spec_hash: `sha256:${'0'.repeat(64)}`,
    revision: 1,
    images: [],
    taken_at: '2026-01-02T03:04:05Z',
    stopped_ms: 12,
    parts: [
      {
        kind: 'volume',
        name: 'uploads',
        file: 'volume-uploads.part',
        entries: 3,
        bytes: 4096,
        stored_bytes: 512,
        chunks: 1,
        sha256: '0'.repeat(64),
      },
    ],
  },
});
const ofBackup = async (caller: Caller) => ({ params: { id: (await aBackup(caller)).id } });
/** Of a definition that runs and is on its way to another server. */
const aTransfer = async (caller: Caller) => {
  const { client } = caller;
  const definition_id = await aDefinition(caller);
  const { id } = (await client.call('deployments.execute', { body: { definition_id } })).data;
  await client.call('deployments.status', { params: { id }, body: { status: 'success' } });
  const { data } = await client.call('definitions.migrate', {
    params: { id: definition_id },
    body: { server_id: await aServer(caller) },
  });
  const params = { id: data.migration?.id ?? '' };
  const found = async () => (await client.call('migrations.read', { params })).data.transfers[0];
  return await until(found, { describe: 'the first copy to be ordered' });
};

/** Of an instance that runs the older of two versions. The caller must be an admin, who can publish them. */
/** Of an instance that runs the older of two versions of a template of the account. */
const anUpgrade = async (caller: Caller) => {
  const { client } = caller;
  await withoutTestServers(caller);
  const source = draftText();
  const slug = /slug: (\S+)/.exec(source)?.[1] ?? '';
  const publish = async (version: string) => {
    const body = { source: source.replace('version: 1.0.0', `version: ${version}`) };
    const params = { id: (await client.call('drafts.create', { body })).data.id };
    await client.call('drafts.validate', { params });
    await client.call('drafts.promote', { params });
  };
  await publish('1.0.0');
  const body = { species: slug, instance_uid: fresh('old'), server_id: await aServer(caller), inputs: {} };
  const definition_id = (await client.call('definitions.create', { body })).data.id;
  const { id } = (await client.call('deployments.execute', { body: { definition_id } })).data;
  await client.call('deployments.status', { params: { id }, body: { status: 'success' } });
  await publish('1.1.0');
  await client.call('upgrades.scan', { body: {} });
  return (await client.call('upgrades.list', { query: { definition_id } })).data[0]?.id ?? '';
};

/** Subscribed to what these tests never cause, so that nothing is sent. */
const subscription = () => ({
  url: 'http://127.0.0.1:9/hooks',
  events: ['instance.unhealthy' as const],
  secret: fresh('a secret of my own'),
});
/** Takes everything, for as long as the tests run. */
let receiver: Promise<string> | undefined;
const receiverUrl = (): Promise<string> => {
  receiver ??= new Promise((listening) => {
    const server = createServer((request, response) => void request.resume().on('end', () => response.end()));
    server.listen(0, '127.0.0.1', () => listening(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
    server.unref();
  });
  return receiver;
};
const ofWebhook = async ({ client }: Caller) => ({
  params: { id: (await client.call('webhooks.create', { body: subscription() })).data.id },
});

const registry = () => ({
  host: `${fresh('registry')}.example.org:5000`,
  username: 'gardener',
  password: 'hunter2hunter2',
});
const ofRegistry = async ({ client }: Caller) => ({
  params: { id: (await client.call('registries.create', { body: registry() })).data.id },
});

const newKey = () => ({
  name: fresh('key'),
  permissions: ['templates:read' as const],
  expires_at: '2099-01-01T00:00:00Z',
  allowed_cidrs: ['192.0.2.0/24'],
});

const anInvite = async ({ client }: Caller) =>
  (await client.call('members.invite', { body: { email: `${fresh('guest')}@example.org` } })).data;
/** Made by the road a person takes: invited, then accepted. */
const aMember = async (caller: Caller) => {
  const { token } = await anInvite(caller);
  const { user } = (await caller.client.call('members.accept', { body: { token, password: 'a password of mine' } }))
    .data;
  return { id: user?.id ?? '', email: user?.email ?? '' };
};

const credentials = { email: adminEmail, password: adminPassword };

/** Signs in as the owner of the first account and answers the headers of a page of our own. */
async function signedIn({ request }: Caller): Promise<Record<string, string>> {
  const { headers } = await request('POST', '/account/login', { body: credentials, key: null });
  return { cookie: headers.get('set-cookie')?.split(';')[0] ?? '', origin: publicUrl };
}

export const goodRequests: GoodRequests = {
  'health.read': () => ({}),
  'drafts.create': () => ({ body: { source: draftText() } }),
  'drafts.import': () => ({
    body: { compose: 'services: {web: {image: "nginx:1.29.2", ports: ["8080:80"]}}', name: 'Web', slug: fresh('web') },
  }),
  'drafts.validate': ofDraft,
  'drafts.test': async (caller) => {
    await caller.client.call('servers.register', { body: { ...registration(), deploy_tests: true } });
    return { ...(await ofDraft(caller)), body: { inputs: {}, profile: 'minimal' } };
  },
  'drafts.tests': ofDraft,
  'drafts.promote': async (caller) => {
    await withoutTestServers(caller);
    const request = await ofDraft(caller);
    await caller.client.call('drafts.validate', request);
    return request;
  },
  'drafts.deprecate': async (caller) => {
    await withoutTestServers(caller);
    const request = await ofDraft(caller);
    await caller.client.call('drafts.validate', request);
    await caller.client.call('drafts.promote', request);
    return request;
  },
  'templates.list': () => ({ query: { kingdom: 'applications', versions: 'all' } }),
  'templates.featured': () => ({}),
  'templates.upcoming': () => ({}),
  'templates.read': () => ({ params: { species: 'inkwell' } }),
  'templates.mark': () => ({ params: { species: 'inkwell' }, query: { size: 24, theme: 'dark' } }),
  'match.find': () => ({ body: { needs: [{ class: 'http.blog' }, { class: 'database.postgres' }] } }),
  'catalog.list': () => ({ query: { family: 'blog' } }),
  'catalog.categories': () => ({}),
  'taxonomy.tree': () => ({}),
  'taxonomy.kingdoms': () => ({}),
  'taxonomy.kingdom': () => ({ params: { kingdom_id: 'applications' } }),
  'taxonomy.family': () => ({ params: { family_id: 'blog' } }),
  'taxonomy.species': () => ({ params: { species_id: 'inkwell' } }),
  'recipes.list': async (caller) => {
    await aRecipe(caller);
    return { query: { sort: 'upvotes' } };
  },
  'recipes.bySlug': async (caller) => ({ params: { slug: (await aRecipe(caller)).slug } }),
  'recipes.mine': async (caller) => {
    await aRecipe(caller);
    return { query: { status: 'pending' } };
  },
  'recipes.pending': async (caller) => {
    await aRecipe(caller);
    return {};
  },
  'recipes.read': ofRecipe,
  'recipes.submit': () => ({ body: submission() }),
  'recipes.edit': async (caller) => ({
    ...(await ofRecipe(caller)),
    body: { name: 'Another name', description: '', spec: { slug: 'another' } },
  }),
  'recipes.upvote': async (caller) => {
    const approved = await ofRecipe(caller);
    await caller.client.call('recipes.approve', approved);
    return approved;
  },
  'recipes.withdraw': ofRecipe,
  'recipes.delete': ofRecipe,
  'recipes.approve': ofRecipe,
  'recipes.reject': async (caller) => ({ ...(await ofRecipe(caller)), body: { reason: 'It does not grow.' } }),
  'saved-configs.list': async (caller) => {
    await ofConfig(caller);
    return { query: { species: 'inkwell' } };
  },
  'saved-configs.create': () => ({ body: savedConfig() }),
  'saved-configs.read': ofConfig,
  'saved-configs.update': async (caller) => ({
    ...(await ofConfig(caller)),
    body: { name: 'Another style', profile: null, variant: null, inputs: { SITE_TITLE: null } },
  }),
  'saved-configs.delete': ofConfig,
  'definitions.list': async (caller) => {
    await aDefinition(caller);
    return { query: { status: 'pending' } };
  },
  'definitions.create': async (caller) => ({ body: await order(caller) }),
  'definitions.read': ofDefinition,
  'definitions.update': async (caller) => ({
    ...(await ofDefinition(caller)),
    body: { name: 'Notes', profile: 'minimal', variant: null, params: { SITE_TITLE: 'Notes' } },
  }),
  'definitions.archive': ofDefinition,
  'definitions.activate': async (caller) => {
    const archived = await ofDefinition(caller);
    await caller.client.call('definitions.archive', archived);
    return archived;
  },
  'definitions.revisions': ofDefinition,
  'definitions.restore': async (caller) => ({ params: { id: await aDefinition(caller), number: 1 } }),
  'definitions.secrets': ofDefinition,
  'deployments.list': async (caller) => {
    await aDeployment(caller);
    return { query: { status: 'pending' } };
  },
  'deployments.execute': async (caller) => ({ body: { definition_id: await aDefinition(caller) } }),
  'deployments.create': async (caller) => ({ body: { definition_id: await aDefinition(caller) } }),
  'deployments.plan': ofDefinition,
  'deployments.pending': async (caller) => {
    await aDeployment(caller);
    return {};
  },
  'deployments.read': ofDeployment,
  'deployments.status': async (caller) => ({
    ...(await ofDeployment(caller)),
    body: { status: 'running', container_id: null, logs },
  }),
  'deployments.report': async (caller) => ({
    body: {
      deployment_id: await aDeployment(caller),
      status: 'failed',
      reason: 'unhealthy',
      error: 'No answer',
      logs,
      instance: { status: 'failed', container_id: 'c1' },
    },
  }),
  'deployments.rollback': async (caller) => ({ ...(await twoDeployed(caller)), body: { with_data: false } }),
  'deployments.cancel': ofDeployment,
  'manifest.read': async (caller) => ({ query: { definition_id: await aDefinition(caller) } }),
  'instances.list': async (caller) => {
    await anInstance(caller);
    return { query: { status: 'running' } };
  },
  'instances.stats': () => ({}),
  'instances.read': ofInstance,
  'instances.report': async (caller) => ({
    body: { instances: [{ definition_id: await aDefinition(caller), status: 'running', health: 'healthy' }] },
  }),
  'instances.syncComponents': async (caller) => ({
    body: { instance_id: await anInstance(caller), components: [{ name: 'app', status: 'running' }] },
  }),
  'instances.drift': async (caller) => ({
    ...(await ofInstance(caller)),
    body: { drift: [{ field: 'restart', declared: 'always', actual: 'no', component: 'app' }] },
  }),
  'metrics.instance': async (caller) => ({ ...(await ofInstance(caller)), query: { range: '7d', component: 'app' } }),
  'instances.deployments': ofInstance,
  'instances.start': ofInstance,
  'instances.stop': ofInstance,
  'instances.restart': ofInstance,
  'instances.release': async (caller) => ({
    ...(await ofInstance(caller)),
    body: { remove_volumes: true, confirm: ['uploads', 'dbdata'] },
  }),
  'actions.all': async (caller) => {
    await anExecution(caller);
    return { query: { status: 'pending', slug: 'db-dump' } };
  },
  'actions.list': ofInstance,
  'actions.execute': async (caller) => ({
    params: { id: await anInstance(caller), slug: 'db-dump' },
    body: { params: { schema_only: true } },
  }),
  'actions.read': ofExecution,
  'actions.report': async (caller) => ({
    ...(await ofExecution(caller)),
    body: { status: 'failed', exit_code: 1, output: 'no space', output_truncated: false, error: 'It failed' },
  }),
  'actions.reportScheduled': async (caller) => {
    const params = { id: await anInstance(caller) };
    const { definition_id } = (await caller.client.call('instances.read', { params })).data;
    const execution_id = `exe_${String(++number).padStart(26, '0')}`;
    const times = { due_at: '2026-01-02T03:00:00Z', started_at: '2026-01-02T03:00:01Z' };
    return {
      body: {
        execution_id,
        definition_id,
        component: 'tidy',
        status: 'completed',
        exit_code: 0,
        output: 'done',
        ...times,
      },
    };
  },
  'actions.cancel': ofExecution,
  'actions.history': async (caller) => {
    const { instance_id } = (await caller.client.call('actions.read', await ofExecution(caller))).execution;
    return { params: { id: instance_id ?? '' }, query: { status: 'pending' } };
  },
  'playbooks.list': () => ({}),
  'playbooks.read': () => ({ params: { playbook_type: 'deploy' } }),
  'tenants.list': async (caller) => {
    await aTenant(caller);
    return { query: { status: 'pending' } };
  },
  'tenants.create': async (caller) => {
    const slug = fresh('nursery');
    return { body: { name: 'Rose Nursery', server_id: await aServer(caller), slug } };
  },
  'tenants.read': ofTenant,
  'tenants.suspend': ofTenant,
  'tenants.resume': async (caller) => {
    const suspended = await ofTenant(caller);
    await caller.client.call('tenants.suspend', suspended);
    return suspended;
  },
  'tenants.activate': ofTenant,
  'tenants.delete': async (caller) => ({ ...(await ofTenant(caller)), query: { force: true } }),
  'tenants.migrate': async (caller) => {
    const moved = await ofTenant(caller);
    await caller.client.call('tenants.activate', moved);
    return { ...moved, body: { server_id: await aServer(caller), dry_run: false, ignore_capacity: false } };
  },
  'definitions.migrate': async (caller) => ({
    ...(await ofDefinition(caller)),
    body: { server_id: await aServer(caller), dry_run: false, ignore_capacity: false },
  }),
  'migrations.list': async (caller) => {
    await aTransfer(caller);
    return { query: { status: 'copying' } };
  },
  'migrations.read': async (caller) => ({ params: { id: (await aTransfer(caller)).migration_id } }),
  'migrations.cancel': async (caller) => ({ params: { id: (await aTransfer(caller)).migration_id } }),
  'transfers.pending': async (caller) => {
    await aTransfer(caller);
    return {};
  },
  'transfers.report': async (caller) => ({
    params: { id: (await aTransfer(caller)).id },
    body: { status: 'running', chunks: 1, bytes: 1024, carried_bytes: 1024 },
  }),
  'capacity.list': async (caller) => {
    await aServer(caller);
    return {};
  },
  'capacity.read': async (caller) => ({ params: { server_id: await aServer(caller) } }),
  'capacity.history': async (caller) => ({
    params: { server_id: await aServer(caller) },
    query: { range: '24h' },
  }),
  'capacity.report': async (caller) => ({
    params: { server_id: await aServer(caller) },
    body: {
      memory: { used: 2_147_483_648, free: 6_442_450_944 },
      cpu: { cores: 4, used_percent: 12.5 },
      disk: { used: 50_000_000_000, free: 150_000_000_000 },
      fingerprint: { engine: 'docker', api_version: '1.41', rootless: false, gpu_runtime: null },
      usage: [
        {
          instance_uid: 'blog',
          component: 'app',
          cpu_percent: 12.5,
          memory_bytes: 104_857_600,
          received_bytes_per_second: 1_200,
          sent_bytes_per_second: 56_000,
        },
      ],
    },
  }),
  'servers.list': async (caller) => {
    await aServer(caller);
    return {};
  },
  'servers.register': () => ({ body: registration() }),
  'servers.create': () => ({ body: registration() }),
  'servers.read': ofServer,
  'servers.update': async (caller) => ({
    ...(await ofServer(caller)),
    body: { name: 'greenhouse', environment: 'staging', description: null },
  }),
  'servers.delete': ofServer,
  'servers.drain': ofServer,
  'servers.undrain': ofServer,
  'servers.prune': async (caller) => ({ ...(await ofServer(caller)), body: { dry_run: true, volumes: ['blog_data'] } }),
  'servers.rotateKey': async (caller) => ({ ...(await ofServer(caller)), query: { force: true } }),
  'servers.mine': async (caller) => {
    await aServer(caller);
    return {};
  },
  'registries.list': async (caller) => {
    await ofRegistry(caller);
    return {};
  },
  'registries.create': () => ({ body: registry() }),
  'registries.update': async (caller) => ({
    ...(await ofRegistry(caller)),
    body: { username: 'florist', password: 'hunter3hunter3' },
  }),
  'registries.delete': ofRegistry,
  'webhooks.list': async (caller) => {
    await ofWebhook(caller);
    return {};
  },
  'backups.list': async (caller) => {
    await aBackup(caller);
    return { query: { kind: 'manual' } };
  },
  'backups.read': ofBackup,
  'backups.create': ofInstance,
  'backups.verify': ofBackup,
  'backups.restore': async (caller) => {
    const { id, instance_uid } = await aBackup(caller);
    return { params: { id }, body: { confirm: instance_uid } };
  },
  'backups.delete': ofBackup,
  'upgrades.list': () => ({}),
  'upgrades.read': async (caller) => ({ params: { id: await anUpgrade(caller) } }),
  'upgrades.apply': async (caller) => ({ params: { id: await anUpgrade(caller) }, body: {} }),
  'upgrades.applyAll': async (caller) => ({ body: { upgrade_ids: [await anUpgrade(caller)] } }),
  'upgrades.scan': async (caller) => ({ body: { instance_id: await anInstance(caller) } }),
  'upgrades.acknowledge': async (caller) => ({ params: { id: await anUpgrade(caller) } }),
  'copilot.ask': () => ({ body: { question: 'Which template is a blog?' } }),
  'copilot.usage': () => ({}),
  'implant.read': () => ({ params: { os_type: 'linux', arch: 'amd64' } }),
  'implant.download': () => ({ params: { os_type: 'linux', arch: 'amd64' } }),
  'webhooks.create': () => ({ body: subscription() }),
  'webhooks.createAlternative': () => ({ body: subscription() }),
  'webhooks.read': ofWebhook,
  'webhooks.update': async (caller) => ({
    ...(await ofWebhook(caller)),
    body: {
      url: 'http://127.0.0.1:9/other',
      events: ['action.failed'],
      secret: 'another secret of mine',
      keep_old_secret_for: 60,
      status: 'paused',
    },
  }),
  'webhooks.redeliver': async (caller) => {
    const body = { ...subscription(), url: await receiverUrl(), events: ['definition.created' as const] };
    const { id } = (await caller.client.call('webhooks.create', { body })).data;
    await aDefinition(caller);
    const query = { status: 'delivered' as const };
    const delivered = async () => (await caller.client.call('webhooks.deliveries', { params: { id }, query })).data[0];
    const { id: delivery_id } = await until(delivered, { describe: 'a delivery' });
    // From here on it is like the others.
    await caller.client.call('webhooks.update', { params: { id }, body: { events: subscription().events } });
    return { params: { id, delivery_id } };
  },
  'webhooks.delete': ofWebhook,
  'webhooks.deliveries': ofWebhook,
  'events.list': () => ({}),
  'account.login': () => ({ body: credentials }),
  'account.logout': async (caller) => ({ headers: await signedIn(caller) }),
  'account.read': () => ({}),
  'account.changePassword': async (caller) => ({
    headers: await signedIn(caller),
    // The same again, so that whoever signs in next still can.
    body: { current_password: adminPassword, new_password: adminPassword },
  }),
  'members.list': () => ({}),
  'members.remove': async (caller) => ({ params: { id: (await aMember(caller)).id }, query: { keys: 'keep' } }),
  'members.resetPassword': async (caller) => ({ params: { id: (await aMember(caller)).id } }),
  'members.setPassword': async (caller) => {
    const { id } = await aMember(caller);
    const { token } = (await caller.client.call('members.resetPassword', { params: { id } })).data;
    return { body: { token, new_password: 'a new password' } };
  },
  'members.invites': async (caller) => {
    await anInvite(caller);
    return {};
  },
  'members.invite': () => ({ body: { email: `${fresh('guest')}@example.org`, role: 'owner' } }),
  'members.revokeInvite': async (caller) => ({ params: { id: (await anInvite(caller)).id } }),
  'members.accept': async (caller) => ({
    body: { token: (await anInvite(caller)).token, password: 'a password of mine' },
  }),
  'accounts.list': () => ({}),
  'accounts.create': () => ({
    body: { name: fresh('Nursery'), plan: 'pro', owner_email: `${fresh('owner')}@example.org` },
  }),
  'accounts.setPlan': async ({ accountId }) => ({ params: { id: accountId }, body: { plan: 'enterprise' } }),
  'keys.permissions': () => ({}),
  'keys.list': () => ({}),
  'keys.create': () => ({ body: newKey() }),
  'keys.revoke': async ({ client }) => ({
    params: { id: (await client.call('keys.create', { body: newKey() })).data.id },
  }),
  'vault.access': async (caller) => {
    await aDefinition(caller);
    return { query: { access: 'set' } };
  },
  'vault.set': async (caller) => ({
    params: { id: await aDefinition(caller), name: 'SMTP_PASSWORD' },
    body: { value: 'another hunter2' },
  }),
  'vault.rotateSecret': async (caller) => ({ params: { id: await aDefinition(caller), name: 'DB_PASSWORD' } }),
  'vault.rotate': () => ({}),
  'settings.list': () => ({}),
};

export interface ReadyRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string | number>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly options: Options;
  /** The same row with other values in its path. */
  pathWith(params: Readonly<Record<string, string | number>>): string;
}

/** The good request of a row, ready to be sent or to be spoilt. */
export async function goodRequest(name: EndpointName, caller: Caller): Promise<ReadyRequest> {
  const row = endpoints[name];
  const {
    params = {},
    query,
    body,
    headers,
  } = (await goodRequests[name](caller)) as {
    params?: ReadyRequest['params'];
    query?: Record<string, unknown>;
    body?: Record<string, unknown>;
    headers?: Record<string, string>;
  };
  const pathWith = (others: ReadyRequest['params']) =>
    addressOf('', row as never, { params: { ...params, ...others }, query });
  return {
    method: row.method,
    path: pathWith({}),
    params,
    body,
    // A session is proved by its cookie alone; a key beside it would count first.
    options: { ...(body && { body }), ...(headers && { headers, key: null }) },
    pathWith,
  };
}
