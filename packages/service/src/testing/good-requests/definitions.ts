import type { Caller } from '../running-service.ts';
import { fresh, type GoodRequests } from './good.ts';
import { aServer } from './servers.ts';

const order = async (caller: Caller) => ({
  species: 'inkwell',
  instance_uid: fresh('blog'),
  name: 'Our blog',
  server_id: await aServer(caller),
  inputs: { WEB_HOSTNAME: 'blog.example.org', SMTP_PASSWORD: 'hunter2hunter2' },
  profile: 'production',
  variant: 'alpine',
});

export const aDefinition = async (caller: Caller) =>
  (await caller.client.call('definitions.create', { body: await order(caller) })).data.id;

const ofDefinition = async (caller: Caller) => ({ params: { id: await aDefinition(caller) } });

const aDeployment = async (caller: Caller) =>
  (await caller.client.call('deployments.execute', { body: { definition_id: await aDefinition(caller) } })).data.id;

const ofDeployment = async (caller: Caller) => ({ params: { id: await aDeployment(caller) } });

const logs = [{ at: '2026-01-02T03:04:05Z', level: 'info' as const, message: 'Pulled the image', step: 'pull' }];

/** Creates two successful deployments: the second can be rolled back. */
const twoDeployed = async (caller: Caller) => {
  const body = { definition_id: await aDefinition(caller) };
  let id = '';
  for (let i = 0; i < 2; i++) {
    ({ id } = (await caller.client.call('deployments.execute', { body })).data);
    await caller.client.call('deployments.status', { params: { id }, body: { status: 'success' } });
  }
  return { params: { id } };
};

export const definitionRequests = {
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
  'definitions.activate': async (caller) => {
    const archived = await ofDefinition(caller);
    await caller.client.call('definitions.archive', archived);
    return archived;
  },
  'definitions.restore': async (caller) => ({ params: { id: await aDefinition(caller), number: 1 } }),
  'deployments.list': async (caller) => {
    await aDeployment(caller);
    return { query: { status: 'pending' } };
  },
  'deployments.execute': async (caller) => ({ body: { definition_id: await aDefinition(caller) } }),
  'deployments.create': async (caller) => ({ body: { definition_id: await aDefinition(caller) } }),
  'deployments.plan': ofDefinition,
  'deployments.preview': async (caller) => ({ body: await order(caller) }),
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
  'manifest.read': async (caller) => ({ query: { definition_id: await aDefinition(caller) } }),
  'definitions.migrate': async (caller) => ({
    ...(await ofDefinition(caller)),
    body: { server_id: await aServer(caller), dry_run: false, ignore_capacity: false },
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
  'vault.reveal': async (caller) => ({ params: { id: await aDefinition(caller), name: 'DB_PASSWORD' } }),
  'vault.rotate': () => ({}),
} satisfies Partial<GoodRequests>;
