import type { LabelFilter, NamedFacts, NamedSpec, VolumeFacts } from '../engine.ts';
import type { DockerApi } from './docker-api.ts';
import { labelFilters } from './label-filters.ts';
import { checkOwner, type NamedResponse, named } from './named-resource.ts';
import { objectPath } from './object-path.ts';

export interface VolumeResponse extends NamedResponse {
  Driver?: string;
  Mountpoint?: string;
  Options?: Record<string, string> | null;
}

export async function listVolumes(api: DockerApi, labels: LabelFilter): Promise<NamedFacts[]> {
  const response = await api.json<{ Volumes?: NamedResponse[] | null }>({
    operation: 'list volumes',
    method: 'GET',
    path: '/volumes',
    query: { filters: labelFilters(labels) },
    timeout: api.timeouts.quick,
  });
  return (response.Volumes ?? []).map(named);
}

export async function findVolume(api: DockerApi, name: string): Promise<VolumeFacts | undefined> {
  const operation = `read volume ${name}`;
  const path = objectPath('volumes', name, operation);
  const { status, body } = await api.call({ operation, method: 'GET', path, timeout: api.timeouts.quick }, [404]);
  if (status === 404) return undefined;
  const response = JSON.parse(body.toString('utf8')) as VolumeResponse;
  // With options, content is mounted there only while a container uses it.
  const plain = response.Driver === 'local' && Object.keys(response.Options ?? {}).length === 0;
  const device = deviceOf(response);
  return {
    ...named(response),
    folder: plain ? response.Mountpoint : undefined,
    ...(device === undefined ? {} : { device }),
  };
}

/** Returns the bound host path; other devices are network shares. */
export function deviceOf({ Options }: VolumeResponse): string | undefined {
  const device = Options?.device;
  return device?.startsWith('/') ? device : undefined;
}

/** Docker returns an existing volume of the same name, even one of another owner. */
export async function ensureVolume(api: DockerApi, spec: NamedSpec): Promise<void> {
  const operation = `create volume ${spec.name}`;
  const volume = await api.json<NamedResponse>({
    operation,
    method: 'POST',
    path: '/volumes/create',
    body: { Name: spec.name, Labels: spec.labels },
    timeout: api.timeouts.heavy,
  });
  checkOwner(operation, spec, volume);
}

export async function removeVolume(api: DockerApi, name: string): Promise<void> {
  const operation = `remove volume ${name}`;
  const path = objectPath('volumes', name, operation);
  await api.call({ operation, method: 'DELETE', path, timeout: api.timeouts.heavy }, [404]);
}
