import type { Caller } from '../running-service.ts';
import { fresh, type GoodRequests } from './good.ts';

export const registration = () => ({
  name: fresh('server'),
  environment: 'development' as const,
  description: 'Behind it',
  labels: { site: 'berlin' },
});

export const aServer = async ({ client }: Caller) =>
  (await client.call('servers.register', { body: registration() })).data.id;

const ofServer = async (caller: Caller) => ({ params: { id: await aServer(caller) } });

/** A cluster, and its first member. */
const aCluster = async ({ client }: Caller) => {
  const body = { ...registration(), kind: 'cluster' as const };
  const { id, member_id } = (await client.call('servers.register', { body })).data;
  return { id, member_id: String(member_id) };
};

const node = {
  id: 'k3x0c5d2m1',
  hostname: 'node-1',
  role: 'manager' as const,
  availability: 'active' as const,
  state: 'ready' as const,
  labels: { zone: 'a' },
  engine_version: '20.10.24',
  capacity: { cpus: 4, memory_bytes: 8_589_934_592 },
  tasks: [{ instance_uid: 'blog', component: 'app', running: 2 }],
};

/** A cluster, and its only node. */
const aNode = async (caller: Caller) => {
  const { id } = await aCluster(caller);
  await caller.client.call('clusters.reportNodes', { params: { id }, body: { nodes: [node] } });
  return { id, node: node.id };
};

const anEvacuation = async (caller: Caller) => {
  const { data } = await caller.client.call('evacuations.create', { ...(await ofServer(caller)), body: {} });
  return { params: { id: data.evacuation?.id ?? '' } };
};

const registry = () => ({
  host: `${fresh('registry')}.example.org:5000`,
  username: 'gardener',
  password: 'hunter2hunter2',
});

const ofRegistry = async ({ client }: Caller) => ({
  params: { id: (await client.call('registries.create', { body: registry() })).data.id },
});

export const serverRequests = {
  'capacity.list': async (caller) => {
    await aServer(caller);
    return {};
  },
  'capacity.read': async (caller) => ({ params: { server_id: await aServer(caller) } }),
  'capacity.history': async (caller) => ({
    params: { server_id: await aServer(caller) },
    query: { range: '24h' },
  }),
  'metrics.server': async (caller) => ({ params: { id: await aServer(caller) } }),
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
          read_bytes_per_second: 4_096,
          written_bytes_per_second: 0,
        },
      ],
    },
  }),
  'diagnostics.read': ofServer,
  'diagnostics.report': async (caller) => ({
    ...(await ofServer(caller)),
    body: {
      version: '1.4.0',
      node: '26.1.0',
      os: 'Debian 12, Linux 6.1.0',
      policy: 'shell: true',
      errors: [
        {
          level: 'error',
          message: 'a rollout failed unexpectedly',
          detail: 'Error: no space left on device',
          fields: { deployment: 'dep_1' },
          count: 2,
          first_at: '2026-11-18T12:00:00.000Z',
          last_at: '2026-11-18T12:30:00.000Z',
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
    body: { name: 'greenhouse', environment: 'staging', description: null, labels: { site: 'berlin' } },
  }),
  'servers.balance': () => ({}),
  'evacuations.create': async (caller) => ({
    ...(await ofServer(caller)),
    body: { dry_run: false, at_once: 2, placement: { labels: { site: 'berlin' } } },
  }),
  'evacuations.list': ofServer,
  'evacuations.read': anEvacuation,
  'servers.prune': async (caller) => ({ ...(await ofServer(caller)), body: { dry_run: true, volumes: ['blog_data'] } }),
  'servers.rotateKey': async (caller) => ({ ...(await ofServer(caller)), query: { force: true } }),
  'servers.resetIdentity': ofServer,
  'servers.mine': async (caller) => {
    await aServer(caller);
    return {};
  },
  'clusters.members': async (caller) => ({ params: { id: (await aCluster(caller)).id } }),
  'clusters.addMember': async (caller) => ({
    params: { id: (await aCluster(caller)).id },
    body: { name: fresh('manager') },
  }),
  'clusters.nodes': async (caller) => ({ params: { id: (await aNode(caller)).id } }),
  'clusters.reportNodes': async (caller) => ({ params: { id: (await aCluster(caller)).id }, body: { nodes: [node] } }),
  'clusters.drainNode': async (caller) => ({ params: await aNode(caller) }),
  'clusters.activateNode': async (caller) => ({ params: await aNode(caller) }),
  'clusters.revokeMember': async (caller) => ({ params: await aCluster(caller) }),
  'registries.list': async (caller) => {
    await ofRegistry(caller);
    return {};
  },
  'registries.read': ofRegistry,
  'registries.create': () => ({ body: registry() }),
  'registries.update': async (caller) => ({
    ...(await ofRegistry(caller)),
    body: { username: 'florist', password: 'hunter3hunter3' },
  }),
} satisfies Partial<GoodRequests>;
