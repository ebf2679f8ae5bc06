import type { Client } from '@hortus/client/client';
import { clientOf, type ServiceProcess } from '../service-process.ts';

/** A server that only reports, as a daemon would; nothing runs on it. */
export interface Bed {
  readonly id: string;
  readonly daemon: Client;
}

const GIB = 1024 ** 3;

export async function addBed({ client, base }: ServiceProcess, name: string, percent = 40): Promise<Bed> {
  const { data } = await client.call('servers.register', { body: { name, environment: 'production' } });
  const daemon = clientOf(base, data.api_key);
  await daemon.call('deployments.pending', {});
  await daemon.call('capacity.report', {
    params: { server_id: data.id },
    body: {
      memory: { used: Math.round((16 * GIB * percent) / 100), free: Math.round((16 * GIB * (100 - percent)) / 100) },
      cpu: { cores: 8, used_percent: percent },
      disk: { used: 120e9, free: 200e9 },
    },
  });
  return { id: data.id, daemon };
}

/** Orders a deployment of a species; the bed claims it and reports its first steps. */
export async function beginDeployment({ client }: ServiceProcess, bed: Bed, species: string, name: string) {
  const inputs = { WEB_HOSTNAME: `${name}.example.org` };
  const { data: definition } = await client.call('definitions.create', {
    body: { species, instance_uid: name, server_id: bed.id, inputs },
  });
  const order = { definition_id: definition.id, ignore_capacity: true };
  const { data: deployment } = await client.call('deployments.execute', { body: order });
  const at = (secondsAgo: number) => Date.now() - secondsAgo * 1000;
  const line = (step: string, secondsAgo: number) => ({
    step,
    at: at(secondsAgo),
    level: 'info' as const,
    message: step,
  });
  await bed.daemon.call('deployments.status', {
    params: { id: deployment.id },
    body: { status: 'running', logs: [line('pull', 9), line('create', 4), line('start', 2), line('wait_healthy', 1)] },
  });
  return { definitionId: definition.id, deploymentId: deployment.id };
}

/** Deploys a species completely and reports its health. */
export async function plant(
  service: ServiceProcess,
  bed: Bed,
  species: string,
  name: string,
  health: 'healthy' | 'unhealthy' = 'healthy',
) {
  const { deploymentId, definitionId } = await beginDeployment(service, bed, species, name);
  const instance = { definition_id: definitionId, status: 'running' as const, health };
  await bed.daemon.call('deployments.report', { body: { deployment_id: deploymentId, status: 'success', instance } });
  await bed.daemon.call('instances.report', { body: { instances: [instance] } });
}
