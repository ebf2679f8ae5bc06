import type { EngineInfo, Platform } from '../engine.ts';
import type { DockerApi } from './docker-api.ts';

/** The part of `GET /info` that we read. */
interface InfoAnswer {
  CgroupVersion?: string;
  Driver?: string;
  SecurityOptions?: string[] | null;
  Runtimes?: Record<string, unknown> | null;
  NCPU: number;
  MemTotal: number;
  DockerRootDir?: string;
}

export async function readInfo(api: DockerApi): Promise<EngineInfo> {
  const [{ prefix, answer }, info] = await Promise.all([
    api.negotiated(),
    api.json<InfoAnswer>({
      operation: 'ask the engine about itself',
      method: 'GET',
      path: '/info',
      timeout: api.timeouts.quick,
    }),
  ]);
  return {
    name: answer.Components?.[0]?.Name === 'Podman Engine' ? 'podman' : 'docker',
    version: answer.Version,
    apiVersion: prefix.slice('/v'.length),
    os: answer.Os,
    arch: answer.Arch,
    cgroup: info.CgroupVersion ?? '1',
    storageDriver: info.Driver ?? '',
    rootless: (info.SecurityOptions ?? []).some((option) => /(^|,)name=rootless(,|$)/.test(option)),
    remapsUsers: (info.SecurityOptions ?? []).some((option) => /(^|,)name=userns(,|$)/.test(option)),
    runtimes: Object.keys(info.Runtimes ?? {}),
    cpus: info.NCPU,
    memoryBytes: info.MemTotal,
    dataRoot: info.DockerRootDir ?? '/var/lib/docker',
  };
}

export async function readPlatform(api: DockerApi): Promise<Platform> {
  const { answer } = await api.negotiated();
  return { os: answer.Os, arch: answer.Arch };
}

/** How many processors there are. Asked once: Podman takes a second to answer, and a machine keeps its processors. */
export function cpuCounter(api: DockerApi): () => Promise<number> {
  let cpus: Promise<number> | undefined;
  return () => {
    cpus ??= readInfo(api).then((info) => info.cpus);
    cpus.catch(() => {
      cpus = undefined;
    });
    return cpus;
  };
}
