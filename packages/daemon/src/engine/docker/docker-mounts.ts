import type { HostMount } from '../engine.ts';
import type { DockerApi } from './docker-api.ts';
import { deviceOf, type VolumeResponse } from './docker-volumes.ts';

/** Used fields of `GET /containers/json`. */
interface ListedMounts {
  Id: string;
  Names: string[];
  Mounts?: { Type: string; Name?: string; Source?: string; RW?: boolean }[] | null;
}

export async function listHostMounts(api: DockerApi): Promise<HostMount[]> {
  const [containers, { Volumes }] = await Promise.all([
    api.json<ListedMounts[]>({
      operation: 'list mounts',
      method: 'GET',
      path: '/containers/json',
      query: { all: 'true' },
      timeout: api.timeouts.quick,
    }),
    api.json<{ Volumes?: VolumeResponse[] | null }>({
      operation: 'list volumes',
      method: 'GET',
      path: '/volumes',
      timeout: api.timeouts.quick,
    }),
  ]);
  const volumes = Volumes ?? [];
  const devices = new Map(volumes.flatMap((volume) => [[volume.Name, deviceOf(volume)] as const]));
  const ofContainers = containers.flatMap(({ Id, Names, Mounts }) => {
    const container = { id: Id, name: (Names[0] ?? Id).replace(/^\//, '') };
    return (Mounts ?? []).flatMap(({ Type, Name = '', Source = '', RW = true }): HostMount[] => {
      const device = Type === 'volume' ? devices.get(Name) : Source;
      // Plain volumes are added below, whether a container mounts them or not.
      if ((Type !== 'bind' && Type !== 'volume') || device === undefined) return [];
      return [{ path: device, readOnly: !RW, chosen: true, container }];
    });
  });
  const ofVolumes = volumes.flatMap(({ Mountpoint }): HostMount[] =>
    Mountpoint === undefined || Mountpoint === '' ? [] : [{ path: Mountpoint, readOnly: false, chosen: false }],
  );
  return [...ofContainers, ...ofVolumes];
}
