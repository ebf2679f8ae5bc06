import type { ContainerFacts } from '../../engine/container-facts.ts';
import { containerBody } from '../../engine/docker/container-body.ts';
import { factsOf, type InspectResponse } from '../../engine/docker/inspect-response.ts';
import type { ImageFacts } from '../../engine/engine.ts';
import type { ActualContainer } from '../../plan/actual.ts';
import type { Unit } from '../../plan/desired.ts';

/** Image of every container in these tests. */
export const image: ImageFacts = {
  id: `sha256:${'a'.repeat(64)}`,
  platform: { os: 'linux', arch: 'amd64' },
  digests: [`example@sha256:${'b'.repeat(64)}`],
  env: ['PATH=/bin', 'LANG=C'],
  labels: { maintainer: 'example' },
  volumes: ['/var/cache'],
};

interface Body {
  Image: string;
  Labels: Record<string, string>;
  Env: string[];
  Entrypoint?: string[];
  Cmd?: string[];
  User?: string;
  StopTimeout: number;
  HostConfig: InspectResponse['HostConfig'] & {
    Mounts: { Type: string; Source?: string; Target: string; ReadOnly?: boolean }[];
  };
}

/** Builds the facts that Docker would report for the container of a unit after a rollout. */
export function inspected(unit: Unit, { id, name, networks }: ActualContainer, cpus: number): ContainerFacts {
  const limits = { ...unit.spec.limits, ...(unit.spec.limits.cpus && { cpus: Math.min(unit.spec.limits.cpus, cpus) }) };
  const body = containerBody({ ...unit.spec, limits }) as unknown as Body;
  const overrides = new Set(Object.keys(unit.spec.env));
  const inherited = image.env.filter((line) => !overrides.has(line.split('=')[0] as string));
  const { Mounts, ...host } = body.HostConfig;
  return factsOf({
    Id: id,
    Name: `/${name}`,
    Image: image.id,
    Created: '2030-01-31T00:00:00Z',
    State: { Status: 'running', ExitCode: 0 },
    Config: {
      Image: body.Image,
      Labels: { ...image.labels, ...body.Labels },
      Env: [...inherited, ...body.Env],
      Entrypoint: body.Entrypoint ?? null,
      Cmd: body.Cmd ?? ['from', 'the', 'image'],
      User: body.User ?? '',
      StopTimeout: body.StopTimeout,
    },
    HostConfig: host,
    Mounts: [
      ...Mounts.map(({ Type, Source = '', Target, ReadOnly = false }) => ({
        Type,
        Name: Source,
        Source,
        Destination: Target.replace(/(?<=.)\/$/, ''),
        RW: !ReadOnly,
      })),
      { Type: 'volume', Name: 'made-up', Source: '/engine/made-up', Destination: '/var/cache', RW: true },
    ],
    NetworkSettings: {
      Networks: Object.fromEntries(
        networks.map((network) => [network, { Aliases: [...unit.aliases, id.slice(0, 12)] }]),
      ),
    },
  });
}
