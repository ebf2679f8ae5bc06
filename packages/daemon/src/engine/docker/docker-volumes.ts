import type { LabelFilter, NamedFacts, NamedSpec, VolumeFacts } from '../engine.ts';
import type { DockerApi } from './docker-api.ts';
import { labelFilters } from './label-filters.ts';
import { checkOwner, type NamedAnswer, named } from './named-resource.ts';
import { objectPath } from './object-path.ts';

export interface VolumeAnswer extends NamedAnswer {
  Driver?: string;
  Mountpoint?: string;
  Options?: Record<string, string> | null;
}

export async function listVolumes(api: DockerApi, labels: LabelFilter): Promise<NamedFacts[]> {
  const answer = await api.json<{ Volumes?: NamedAnswer[] | null }>({
    operation: 'list volumes',
    method: 'GET',
    path: '/volumes',
    query: { filters: labelFilters(labels) },
    timeout: api.timeouts.quick,
  });
  return (answer.Volumes ?? []).map(named);
}

export async function findVolume(api: DockerApi, name: string): Promise<VolumeFacts | undefined> {
  const operation = `read volume ${name}`;
  const path = objectPath('volumes', name, operation);
  const { status, body } = await api.call({ operation, method: 'GET', path, timeout: api.timeouts.quick }, [404]);
  if (status === 404) return undefined;
  const answer = JSON.parse(body.toString('utf8')) as VolumeAnswer;
  // With options, content is mounted there only while a container uses it.
  const plain = answer.Driver === 'local' && Object.keys(answer.Options ?? {}).length === 0;
  const device = deviceOf(answer);
  return {
    ...named(answer),
    folder: plain ? answer.Mountpoint : undefined,
    ...(device === undefined ? {} : { device }),
  };
}

/** Returns the bound host path; other devices are network shares. */
export function deviceOf({ Options }: VolumeAnswer): string | undefined {
  const device = Options?.device;
  return device?.startsWith('/') ? device : undefined;
}

/** Docker returns an existing volume of the same name, even one of another owner. */
export async function ensureVolume(api: DockerApi, spec: NamedSpec): Promise<void> {
  const operation = `create volume ${spec.name}`;
  const volume = await api.json<NamedAnswer>({
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
