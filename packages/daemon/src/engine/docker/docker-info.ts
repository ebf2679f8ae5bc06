import type { EngineInfo, Platform } from '../engine.ts';
import type { DockerApi } from './docker-api.ts';

/** Used fields of `GET /info`. */
interface InfoResponse {
  CgroupVersion?: string;
  Driver?: string;
  SecurityOptions?: string[] | null;
  Runtimes?: Record<string, unknown> | null;
  NCPU: number;
  MemTotal: number;
  DockerRootDir?: string;
  LoggingDriver?: string;
  PidsLimit?: boolean;
  DefaultAddressPools?: { Base?: string }[] | null;
}

export async function readInfo(api: DockerApi): Promise<EngineInfo> {
  const [{ prefix, response }, info] = await Promise.all([
    api.negotiated(),
    api.json<InfoResponse>({
      operation: 'read the settings of the engine',
      method: 'GET',
      path: '/info',
      timeout: api.timeouts.quick,
    }),
  ]);
  return {
    name: response.Components?.[0]?.Name === 'Podman Engine' ? 'podman' : 'docker',
    version: response.Version,
    apiVersion: prefix.slice('/v'.length),
    os: response.Os,
    arch: response.Arch,
    cgroup: info.CgroupVersion ?? '1',
    storageDriver: info.Driver ?? '',
    rootless: (info.SecurityOptions ?? []).some((option) => /(^|,)name=rootless(,|$)/.test(option)),
    remapsUsers: (info.SecurityOptions ?? []).some((option) => /(^|,)name=userns(,|$)/.test(option)),
    runtimes: Object.keys(info.Runtimes ?? {}),
    cpus: info.NCPU,
    memoryBytes: info.MemTotal,
    dataRoot: info.DockerRootDir ?? '/var/lib/docker',
    logDriver: info.LoggingDriver ?? '',
    limitsPids: info.PidsLimit ?? true,
    addressPools: (info.DefaultAddressPools ?? []).flatMap(({ Base }) => Base ?? []),
  };
}

export async function readPlatform(api: DockerApi): Promise<Platform> {
  const { response } = await api.negotiated();
  return { os: response.Os, arch: response.Arch };
}

/** Caches facts that rarely change, such as the number of CPUs: Podman takes a second to respond. */
export function cachedInfo(api: DockerApi, forMs = 300_000): () => Promise<EngineInfo> {
  let kept: { info: Promise<EngineInfo>; at: number } | undefined;
  return () => {
    if (kept && performance.now() - kept.at < forMs) return kept.info;
    const asked = { info: readInfo(api), at: performance.now() };
    kept = asked;
    asked.info.catch(() => {
      if (kept === asked) kept = undefined;
    });
    return asked.info;
  };
}
