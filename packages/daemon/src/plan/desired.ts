import { createHash } from 'node:crypto';
import type { Manifest, ManifestComponent, ManifestHealthcheck } from '@hortus/contract/template/manifest';
import { parseImage } from '@hortus/template/notation/image-reference';
import { canRunBeside, deployedComponents, primaryOf } from '@hortus/template/rollout/replacement';
import type { ContainerFile, ContainerSpec } from '../engine/container-spec.ts';
import type { LinkSpec, NamedSpec, NetworkSpec } from '../engine/engine.ts';
import { componentSpec } from './component-spec.ts';
import { label, labelsOf, ownerLabels } from './labels.ts';
import { linkNetworks } from './links.ts';
import { containerName, homeName, isSafeName, networkName } from './names.ts';
import { besideNetworkSize, instanceNetworkSize } from './network-size.ts';
import { type RouteRule, routeRule } from './routes.ts';

type UnitKind = 'service' | 'before_start_job' | 'after_start_job';

/** A desired container: a component, or one of its replicas. */
export interface Unit {
  key: string;
  component: string;
  replica: number;
  kind: UnitKind;
  primary: boolean;
  irreversible: boolean;
  /** Whether it can run in parallel with its predecessor: they share no exclusive resource. */
  beside: boolean;
  /** DNS names inside the instance; none on the host's network. */
  aliases: readonly string[];
  /** Specification under the final name. */
  spec: ContainerSpec;
  files: readonly ContainerFile[];
  dependsOn: Readonly<Record<string, 'started' | 'healthy' | 'completed'>>;
  check: ManifestHealthcheck | undefined;
  config: string;
}

export interface Desired {
  deploymentId: string;
  definitionId: string;
  instanceUid: string;
  /** Undefined if all components use the host's network. */
  network: NetworkSpec | undefined;
  /** Network for containers that start while their predecessors serve; created only if needed. */
  home: NetworkSpec;
  /** Networks to the instances that it uses. */
  links: readonly LinkSpec[];
  volumes: readonly NamedSpec[];
  /** Dependencies come first. */
  units: readonly Unit[];
  routes: readonly RouteRule[];
}

export interface DesiredFrom {
  deploymentId: string;
  definitionId: string;
  revision: number;
  serverId: string;
  manifest: Manifest;
  /** Deploy only these components, without routes; all components by default. */
  only?: ReadonlySet<string> | undefined;
}

/** The manifest cannot be turned into containers; the message is for its author. */
export class ManifestProblem extends Error {}

export function desiredState(from: DesiredFrom): Desired {
  const { manifest } = from;
  const uid = manifest.instance.uid;
  // Checked again after the service, because these become names and paths on this machine.
  const links = manifest.components.flatMap((component) => component.links ?? []);
  const linked = links.flatMap(({ instance, component }) => [instance, component]);
  for (const name of [uid, ...manifest.components.map((component) => component.name), ...linked]) {
    if (!isSafeName(name)) throw new ManifestProblem(`${JSON.stringify(name)} cannot be used in a container name`);
  }
  const own = labelsOf({ serverId: from.serverId, uid, definitionId: from.definitionId });
  const primary = primaryOf(manifest);
  const deployed = deployedComponents(manifest).filter(({ name }) => from.only?.has(name) ?? true);
  const bridged = deployed.filter((component) => component.network === 'bridge');
  const containers = bridged.flatMap(replicas).length;
  const network = {
    name: networkName(uid),
    labels: own,
    owner: ownerLabels,
    addresses: instanceNetworkSize(containers),
    ...(manifest.isolated ? { internal: true } : {}),
  };
  const home = { ...network, name: homeName(uid, from.deploymentId), addresses: besideNetworkSize(containers) };
  const volumes = new Set(deployed.flatMap(({ storage }) => storage.flatMap((item) => item.volume ?? [])));
  return {
    deploymentId: from.deploymentId,
    definitionId: from.definitionId,
    instanceUid: uid,
    network: bridged.length > 0 ? network : undefined,
    home,
    links: linkNetworks(uid, bridged, own),
    volumes: [...volumes].map((name) => ({ name, labels: own, owner: ownerLabels })),
    units: deployed.flatMap((component) =>
      replicas(component).map((replica) => unit(from, component, replica, component.name === primary, own)),
    ),
    routes: from.only === undefined ? manifest.routes.map(routeRule) : [],
  };
}

function replicas({ kind, replicas: count }: ManifestComponent): number[] {
  return Array.from({ length: kind === 'job' ? 1 : count }, (_, index) => index + 1);
}

function unit(
  from: DesiredFrom,
  component: ManifestComponent,
  replica: number,
  primary: boolean,
  own: Record<string, string>,
): Unit {
  const uid = from.manifest.instance.uid;
  checkTexts(component);
  const kind: UnitKind =
    component.kind === 'service' ? 'service' : component.run === 'after_start' ? 'after_start_job' : 'before_start_job';
  const files = component.files.map(({ mount_path, mode, content }) => ({ path: mount_path, mode, content }));
  if (files.length > 0 && component.read_only) {
    throw new ManifestProblem(`${component.name}: files cannot be written into a container with a read-only root`);
  }
  const bare = {
    name: containerName(uid, component.name, replica, primary),
    ...componentSpec(component, uid),
  };
  const check = component.healthcheck?.disabled ? undefined : component.healthcheck;
  const config = hash({ ...bare, labels: component.labels, files, check: check ?? null, kind });
  return {
    key: `${component.name}.${replica}`,
    component: component.name,
    replica,
    kind,
    primary: primary && replica === 1,
    irreversible: component.irreversible,
    beside: canRunBeside(component),
    aliases: bare.network.kind === 'bridge' ? bare.network.aliases : [],
    spec: {
      ...bare,
      // Our labels come last: a manifest must not be able to impersonate another instance.
      labels: {
        ...component.labels,
        ...own,
        [label.deployment]: from.deploymentId,
        [label.revision]: String(from.revision),
        [label.specHash]: from.manifest.spec_hash,
        [label.component]: component.name,
        [label.replica]: String(replica),
        [label.kind]: component.kind,
        ...(primary && replica === 1 ? { [label.primary]: 'true' } : {}),
        ...(check ? { [label.probe]: JSON.stringify(check) } : {}),
        ...(parseImage(component.image).digest ? { [label.pinnedImage]: component.image } : {}),
        [label.config]: config,
      },
    },
    files,
    dependsOn: component.depends_on,
    check,
    config,
  };
}

/** Rejects zero bytes, at which an engine would cut a text, and variable names with `=`. */
function checkTexts({ name, env, command = [], entrypoint = [] }: ManifestComponent): void {
  const texts = [...Object.entries(env).flat(), ...command, ...entrypoint];
  if (texts.some((text) => text.includes('\0'))) throw new ManifestProblem(`${name}: a text contains a zero byte`);
  const odd = Object.keys(env).find((key) => key === '' || key.includes('='));
  if (odd !== undefined)
    throw new ManifestProblem(`${name}: ${JSON.stringify(odd)} is not a valid name of an environment variable`);
}

function hash(value: unknown): string {
  return `sha256:${createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')}`;
}

/** Sorts keys, because the same manifest may arrive in another key order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
