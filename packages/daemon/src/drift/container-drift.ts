import { posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DROPPED_CAPABILITIES } from '@hortus/contract/template/container-defaults';
import { parseImage, repositoryOf } from '@hortus/template/notation/image-reference';
import { hostPortText, joinedPorts, portText } from '@hortus/template/notation/port-ranges';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Mount, Port } from '../engine/container-spec.ts';
import type { ImageFacts } from '../engine/engine.ts';
import type { Unit } from '../plan/desired.ts';
import { label } from '../plan/labels.ts';
import { isLinkName, networkName } from '../plan/names.ts';
import { realPath } from '../policy/host-paths.ts';
import { isSameImage } from '../pull/digests.ts';
import { type Drift, HIDDEN, HIDDEN_OTHER } from './drift.ts';

/** Context of a comparison. */
export interface Surroundings {
  instanceUid: string;
  /** CPUs of the server; a higher limit means all of them. */
  cpus: number;
  /** Whether the engine can limit processes. */
  limitsPids: boolean;
  /** Image of the container; undefined if the engine no longer has it. */
  image: ImageFacts | undefined;
  /** Digest that the deployment recorded for the component, if any. */
  digest: string | null | undefined;
}

type Found = Omit<Drift, 'component'>;
type Comparison = (unit: Unit, facts: ContainerFacts, surroundings: Surroundings) => Found[];

/** Returns every difference between a container and its unit; none right after a deployment. */
export function containerDrift(unit: Unit, facts: ContainerFacts, surroundings: Surroundings): Drift[] {
  const found = comparisons.flatMap((compare) => compare(unit, facts, surroundings));
  // Properties that cannot be read from a container, such as files, are covered by the hash.
  const rest = found.length === 0 ? differing('config', unit.config, facts.labels[label.config] ?? null) : [];
  return [...found, ...rest].map((found) => ({ component: unit.component, ...found }));
}

const comparisons: readonly Comparison[] = [
  ({ spec }, facts) => differing('name', spec.name, facts.name),
  imageDrift,
  envDrift,
  ({ spec }, { entrypoint }) => hidden('entrypoint', spec.entrypoint, entrypoint),
  ({ spec }, { command }) => hidden('command', spec.command, command),
  ({ spec }, { user }) => (spec.user === undefined ? [] : differing('user', spec.user, user)),
  mountDrift,
  limitDrift,
  networkDrift,
  labelDrift,
  ({ spec }, facts) => differing('restart', spec.restart, facts.restartPolicy),
  ({ spec }, facts) => differing('ports', published(spec.ports), published(facts.ports)),
  ({ spec }, facts) => differing('privileged', spec.privileged, facts.privileged),
  ({ spec }, facts) => differing('read_only', spec.readOnlyRoot, facts.readOnlyRoot),
  ({ spec }, facts) => [
    ...differing('capabilities.add', addedBy(spec.capabilities), addedBy(facts.capabilities)),
    ...differing('capabilities.drop', capabilities(spec.capabilities.drop), capabilities(facts.capabilities.drop)),
  ],
];

/** Ignores default capabilities: Podman does not list them as added. A lost one shows in the dropped ones. */
function addedBy({ add, drop }: { add: readonly string[]; drop: readonly string[] }): string[] {
  const isAlone = capabilities(drop).includes('ALL');
  return capabilities(add).filter((name) => isAlone || !(DROPPED_CAPABILITIES as readonly string[]).includes(name));
}

function differing(field: string, declared: unknown, actual: unknown): Found[] {
  return isDeepStrictEqual(declared, actual) ? [] : [{ field, declared, actual }];
}

/** Compares only what the template sets. */
function hidden(field: string, declared: readonly string[] | undefined, actual: readonly string[]): Found[] {
  if (declared === undefined || isDeepStrictEqual([...declared], [...actual])) return [];
  return [{ field, declared: HIDDEN, actual: actual.length === 0 ? null : HIDDEN_OTHER }];
}

function imageDrift({ spec }: Unit, facts: ContainerFacts, { image, digest }: Surroundings): Found[] {
  if (!isSameImage(spec.image, facts.image)) return [{ field: 'image', declared: spec.image, actual: facts.image }];
  // The digest of a substitute is another by intention.
  if (facts.substitute !== undefined) return [];
  const wanted = parseImage(spec.image).digest ?? digest;
  const own = image?.digests.filter((digest) => repositoryOf(digest) === repositoryOf(spec.image)) ?? [];
  const digests = own.flatMap((text) => parseImage(text).digest ?? []);
  // Without a digest the image was never in a registry or was untagged, so nothing can be said.
  if (!wanted || digests.length === 0 || digests.includes(wanted)) return [];
  return [{ field: 'image', declared: wanted, actual: digests[0] }];
}

/** Variables that engines add. */
const engineVariables = ['PATH', 'HOSTNAME', 'HOME', 'TERM', 'container'];

function envDrift({ spec }: Unit, { env }: ContainerFacts, { image }: Surroundings): Found[] {
  const actual = new Map(env.map(split));
  const lost = Object.entries(spec.env).flatMap(([name, value]) => {
    if (actual.get(name) === value) return [];
    return [{ field: `env.${name}`, declared: HIDDEN, actual: actual.has(name) ? HIDDEN_OTHER : null }];
  });
  if (image === undefined) return lost;
  const known = new Map(image.env.map(split));
  const added = [...actual].filter(
    ([name, value]) => !Object.hasOwn(spec.env, name) && !engineVariables.includes(name) && known.get(name) !== value,
  );
  return [...lost, ...added.map(([name]) => ({ field: `env.${name}`, declared: null, actual: HIDDEN }))];
}

function split(line: string): [name: string, value: string] {
  const end = line.indexOf('=');
  return end < 0 ? [line, ''] : [line.slice(0, end), line.slice(end + 1)];
}

function mountDrift({ spec }: Unit, facts: ContainerFacts, { image }: Surroundings): Found[] {
  const declared = new Map(spec.mounts.map((mount) => [path(mount.target), mounted(mount, facts)]));
  const actual = new Map(
    facts.mounts.map(({ kind, source, target, readOnly }) => [
      path(target),
      kind === 'tmpfs' ? 'tmpfs' : `${source === '' ? '' : path(source)}${readOnly ? ' (read-only)' : ''}`,
    ]),
  );
  const places = [...new Set([...declared.keys(), ...actual.keys()])];
  return places.flatMap((place) => {
    // An anonymous volume that the image declares.
    const isImages = !declared.has(place) && (image === undefined || image.volumes.map(path).includes(place));
    return isImages ? [] : differing(`mounts.${place}`, declared.get(place) ?? null, actual.get(place) ?? null);
  });
}

function mounted(mount: Mount, { mounts }: ContainerFacts): string {
  if (mount.kind === 'tmpfs') return 'tmpfs';
  const source = mount.kind === 'host' ? mountedPath(mount.path, mounts) : mount.volume;
  return `${source}${mount.readOnly ? ' (read-only)' : ''}`;
}

/** Containers are created with the resolved path; older daemons used the declared one. */
function mountedPath(declared: string, mounts: ContainerFacts['mounts']): string {
  const plain = path(declared);
  return mounts.some(({ source }) => source !== '' && path(source) === plain) ? plain : realPath(declared);
}

/** `/srv/` and `/srv` are the same path. */
const path = (text: string): string => posix.normalize(text).replace(/(?<=.)\/$/, '');

function limitDrift({ spec: { limits } }: Unit, facts: ContainerFacts, { cpus, limitsPids }: Surroundings): Found[] {
  const { limits: actual } = facts;
  return [
    ...differing('limits.cpus', Math.min(limits.cpus ?? 0, cpus), actual.cpus),
    ...differing('limits.memory', limits.memoryBytes ?? 0, actual.memoryBytes),
    // Engines have their own defaults for these.
    ...(limits.memoryReservationBytes === undefined
      ? []
      : differing('limits.memory_reservation', limits.memoryReservationBytes, actual.memoryReservationBytes)),
    ...(limits.pids === undefined || !limitsPids ? [] : differing('limits.pids', limits.pids, actual.pids)),
  ];
}

/** A container must be on the instance's network under its aliases, and may be on other networks of the instance. */
function networkDrift({ spec, aliases }: Unit, facts: ContainerFacts, { instanceUid }: Surroundings): Found[] {
  const isHost = spec.network.kind === 'host';
  if (isHost || facts.hostNetwork)
    return differing('network', isHost ? 'host' : 'bridge', facts.hostNetwork ? 'host' : 'bridge');
  const own = networkName(instanceUid);
  const joined = facts.networks.find(({ name }) => name === own);
  const isNamed = joined !== undefined && aliases.every((alias) => joined.aliases.includes(alias));
  // Links of other instances to this one belong to those.
  const others = facts.networks.filter(({ name }) => name !== own && !name.startsWith(`${own}.`) && !isLinkName(name));
  const links = spec.network.kind === 'bridge' ? (spec.network.links ?? []) : [];
  const lost = links.filter((link) => !facts.networks.some(({ name }) => name === link));
  return [
    ...lost.map((link) => ({ field: `networks.${link}`, declared: [], actual: null })),
    ...(isNamed ? [] : [{ field: `networks.${own}`, declared: [...aliases], actual: joined?.aliases ?? null }]),
    ...others.map(({ name, aliases: actual }) => ({ field: `networks.${name}`, declared: null, actual })),
  ];
}

/** Labels about the creation of a container; they stay on containers that a later deployment keeps. */
const passing: readonly string[] = [
  label.deployment,
  label.revision,
  label.specHash,
  label.replaces,
  label.replacesRunning,
  label.home,
  label.pinnedImage,
  label.substituted,
  // Compared separately.
  label.config,
];

function labelDrift({ spec }: Unit, { labels }: ContainerFacts, { image }: Surroundings): Found[] {
  const lost = Object.entries(spec.labels).flatMap(([name, value]) => {
    if (passing.includes(name) || labels[name] === value) return [];
    return [{ field: `labels.${name}`, declared: HIDDEN, actual: labels[name] === undefined ? null : HIDDEN_OTHER }];
  });
  if (image === undefined) return lost;
  const added = Object.keys(labels).filter(
    (name) => !Object.hasOwn(spec.labels, name) && !passing.includes(name) && image.labels[name] !== labels[name],
  );
  return [...lost, ...added.map((name) => ({ field: `labels.${name}`, declared: null, actual: HIDDEN }))];
}

/** Joins ranges, so that a report stays short. */
function published(ports: readonly Port[]): string[] {
  const fixed = ports.flatMap(({ hostPort, hostIp, containerPort, protocol }) => {
    if (hostPort === undefined) return [];
    const host_ip = hostIp === '0.0.0.0' ? '' : (hostIp ?? '');
    return [{ container_port: containerPort, host_port: hostPort, host_ip, protocol }];
  });
  return joinedPorts(fixed).map(
    (port) => `${port.host_ip}:${hostPortText(port)} to ${portText(port)}/${port.protocol}`,
  );
}

const capabilities = (names: readonly string[]): string[] =>
  names.map((name) => name.toUpperCase().replace(/^CAP_/, '')).sort();
