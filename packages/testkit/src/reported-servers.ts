import { type Client, createClient } from '@hortus/client/client';

/** A running service and the client of its owner. */
export interface Owned {
  readonly base: string;
  readonly client: Client;
}

/** A server whose reports a test makes; nothing runs on it. */
export interface ReportedServer {
  readonly id: string;
  readonly key: string;
  readonly daemon: Client;
}

const GIB = 1024 ** 3;

export async function addServer({ client, base }: Owned, name: string, percent = 40): Promise<ReportedServer> {
  const { data } = await client.call('servers.register', { body: { name, environment: 'production' } });
  const daemon = createClient({ baseUrl: base, key: data.api_key });
  await daemon.call('deployments.pending', {});
  await daemon.call('capacity.report', {
    params: { server_id: data.id },
    body: {
      memory: { used: Math.round((16 * GIB * percent) / 100), free: Math.round((16 * GIB * (100 - percent)) / 100) },
      cpu: { cores: 8, used_percent: percent },
      disk: { used: 120e9, free: 200e9 },
    },
  });
  return { id: data.id, key: data.api_key, daemon };
}

/** Connects a server as its daemon would, with facts about its machine, until the service ends. */
export async function connectServer({ base }: Owned, { key }: ReportedServer): Promise<void> {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/ws/server`);
  const facts = { version: '0.1.0', os: 'Debian 13', arch: 'amd64', engine: 'Docker 28.5' };
  const auth = { type: 'auth', api_key: key, capabilities: ['ack'], ...facts };
  socket.addEventListener('open', () => socket.send(JSON.stringify(auth)));
  await new Promise<void>((done, fail) => {
    socket.addEventListener('error', () => fail(new Error('The channel of a server was refused.')));
    socket.addEventListener('message', ({ data }) => {
      const { type, ts } = JSON.parse(data);
      if (type === 'authenticated') done();
      if (type === 'ping') socket.send(JSON.stringify({ type: 'pong', ts }));
    });
  });
}

/** Orders a deployment of a species; the server claims it and reports its first steps. */
export async function beginDeployment({ client }: Owned, server: ReportedServer, species: string, name: string) {
  const inputs = { WEB_HOSTNAME: `${name}.example.org` };
  const { data: definition } = await client.call('definitions.create', {
    body: { species, instance_uid: name, server_id: server.id, inputs },
  });
  const order = { definition_id: definition.id, ignore_capacity: true };
  const { data: deployment } = await client.call('deployments.execute', { body: order });
  const line = (step: string, message: string, secondsAgo: number) => ({
    ...{ step, message, level: 'info' as const },
    at: Date.now() - secondsAgo * 1000,
  });
  const logs = [
    line('pull', `Pulled ${species} (5200 ms)`, 4),
    line('create', 'Created main (240 ms)', 3),
    line('start', 'Started main (400 ms)', 2),
    line('wait_healthy', 'main is starting', 1),
  ];
  const params = { id: deployment.id };
  await server.daemon.call('deployments.status', { params, body: { status: 'running', logs } });
  return { definitionId: definition.id, deploymentId: deployment.id };
}

/** Deploys a species completely and reports its health. */
export async function deployWhole(
  service: Owned,
  server: ReportedServer,
  species: string,
  name: string,
  health: 'healthy' | 'unhealthy' = 'healthy',
) {
  const { deploymentId, definitionId } = await beginDeployment(service, server, species, name);
  const instance = { definition_id: definitionId, status: 'running' as const, health };
  await server.daemon.call('deployments.report', {
    body: { deployment_id: deploymentId, status: 'success', instance },
  });
  await server.daemon.call('instances.report', { body: { instances: [instance] } });
}
