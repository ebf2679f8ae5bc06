import type { RegistryAuth, ServiceFacts, ServiceSpec } from '../cluster.ts';
import type { LabelFilter } from '../engine.ts';
import { isEngineProblem } from '../engine-problem.ts';
import { type ServiceResponse, serviceFacts } from './cluster-responses.ts';
import type { DockerApi } from './docker-api.ts';
import { labelFilters } from './label-filters.ts';
import { objectPath } from './object-path.ts';
import { type ServiceBody, serviceBody } from './service-body.ts';

export async function listServices(api: DockerApi, labels: LabelFilter): Promise<ServiceFacts[]> {
  const list = await api.json<ServiceResponse[] | null>({
    operation: 'list services',
    method: 'GET',
    path: '/services',
    query: { filters: labelFilters(labels) },
    timeout: api.timeouts.quick,
  });
  return (list ?? []).map(serviceFacts);
}

export async function findService(api: DockerApi, id: string): Promise<ServiceFacts | undefined> {
  const found = await readService(api, id);
  return found && serviceFacts(found);
}

async function readService(api: DockerApi, id: string): Promise<ServiceResponse | undefined> {
  const operation = `read service ${id}`;
  const call = { operation, method: 'GET', path: objectPath('services', id, operation) } as const;
  const { status, body } = await api.call({ ...call, timeout: api.timeouts.quick }, [404]);
  return status === 404 ? undefined : (JSON.parse(body.toString('utf8')) as ServiceResponse);
}

export async function createService(api: DockerApi, spec: ServiceSpec, auth?: RegistryAuth): Promise<string> {
  const { ID } = await api.json<{ ID: string }>({
    operation: `create service ${spec.container.name}`,
    method: 'POST',
    path: '/services/create',
    body: serviceBody(spec),
    timeout: api.timeouts.heavy,
    ...authHeader(auth),
  });
  return ID;
}

/** Two writers of the same version: the Swarm accepts the first, and the second must read again. */
const OUT_OF_SEQUENCE = /update out of sequence/i;
const MAX_TRIES = 5;

interface Change {
  operation: string;
  /** Body from the current specification. */
  body(current: ServiceBody): ServiceBody;
  query?: Record<string, string>;
  auth?: RegistryAuth | undefined;
}

async function changeService(api: DockerApi, id: string, change: Change): Promise<void> {
  const { operation, query = {}, auth } = change;
  for (let tries = 1; ; tries++) {
    const call = { operation: `read service ${id}`, method: 'GET', timeout: api.timeouts.quick } as const;
    const current = await api.json<ServiceResponse>({ ...call, path: objectPath('services', id, operation) });
    try {
      await api.call({
        operation,
        method: 'POST',
        path: `${objectPath('services', id, operation)}/update`,
        query: { version: String(current.Version.Index), ...query },
        body: change.body(current.Spec),
        timeout: api.timeouts.heavy,
        ...authHeader(auth),
      });
      return;
    } catch (error) {
      if (tries >= MAX_TRIES || !isEngineProblem(error) || !OUT_OF_SEQUENCE.test(error.message)) throw error;
    }
  }
}

export const updateService = (api: DockerApi, id: string, spec: ServiceSpec, auth?: RegistryAuth): Promise<void> =>
  changeService(api, id, { operation: `update service ${spec.container.name}`, body: () => serviceBody(spec), auth });

export const scaleService = (api: DockerApi, id: string, replicas: number): Promise<void> =>
  changeService(api, id, {
    operation: `scale service ${id}`,
    body: (current) => ({ ...current, Mode: { Replicated: { Replicas: replicas } } }),
  });

export const restartService = (api: DockerApi, id: string): Promise<void> =>
  changeService(api, id, {
    operation: `restart service ${id}`,
    body: ({ TaskTemplate, ...rest }) => ({
      ...rest,
      TaskTemplate: { ...TaskTemplate, ForceUpdate: (TaskTemplate.ForceUpdate ?? 0) + 1 },
    }),
  });

export const rollBackService = (api: DockerApi, id: string): Promise<void> =>
  changeService(api, id, {
    operation: `roll service ${id} back`,
    body: (current) => current,
    query: { rollback: 'previous' },
  });

export async function removeService(api: DockerApi, id: string): Promise<void> {
  const operation = `remove service ${id}`;
  const path = objectPath('services', id, operation);
  await api.call({ operation, method: 'DELETE', path, timeout: api.timeouts.heavy }, [404]);
}

const authHeader = (auth: RegistryAuth | undefined) =>
  auth === undefined ? {} : { headers: { 'x-registry-auth': Buffer.from(JSON.stringify(auth)).toString('base64url') } };
