import { isDeepStrictEqual } from 'node:util';
import type { DeployedImage } from '@hortus/contract/resources/deployment-records';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { ImageFacts } from '../engine/engine.ts';
import type { Reading } from '../instances/read-actual.ts';
import { type ActualContainer, belongsTo, isNext } from '../plan/actual.ts';
import type { Desired, Unit } from '../plan/desired.ts';
import { containerDrift } from './container-drift.ts';
import type { Drift } from './drift.ts';

export interface Known {
  cpus: number;
  limitsPids: boolean;
  /** Images of the containers, by id. */
  images: ReadonlyMap<string, ImageFacts>;
  /** Digests that the deployment recorded. */
  deployed: readonly DeployedImage[];
}

/**
 * Returns the differences between an instance and its deployment. Ignores whether containers run, which is the status
 * and may be deliberate, and containers of completed jobs.
 */
export function instanceDrift(desired: Desired, { actual, facts }: Reading, known: Known): Drift[] {
  const services = desired.units.filter(({ kind }) => kind === 'service');
  const matches = services.map((unit) => ({ unit, container: holderOf(unit, actual.containers) }));
  const parts = matches.flatMap(({ unit, container }): Drift[] => {
    const own = container && facts.get(container.id);
    if (own === undefined) return [{ ...whole(unit), declared: unit.spec.name, actual: null }];
    return containerDrift(unit, own, surroundings(desired, unit, own, known));
  });
  const held = new Set(matches.flatMap(({ container }) => container?.id ?? []));
  const isJob = (container: ActualContainer) =>
    !isNext(container) && desired.units.some((unit) => unit.kind !== 'service' && belongsTo(container, unit));
  const extra = actual.containers.filter((container) => !held.has(container.id) && !isJob(container));
  return [
    ...parts,
    ...extra.map(({ component, name }) => ({ component, field: 'component', declared: null, actual: name })),
    ...desired.volumes
      .filter(({ name }) => !actual.volumes.includes(name))
      .map(({ name }) => ({ component: null, field: `volumes.${name}`, declared: name, actual: null })),
    ...routeDrift(desired, actual.routes, matches),
  ].sort(byPlace);
}

const whole = ({ component }: Unit) => ({ component, field: 'component' });

function surroundings({ instanceUid }: Desired, { component }: Unit, { imageId }: ContainerFacts, known: Known) {
  const digest = known.deployed.find((item) => item.component === component)?.digest;
  return { instanceUid, cpus: known.cpus, limitsPids: known.limitsPids, image: known.images.get(imageId), digest };
}

/** Returns the container with the final name or, if it was renamed, the one with matching labels. */
function holderOf(unit: Unit, containers: readonly ActualContainer[]): ActualContainer | undefined {
  const own = containers.filter((container) => !isNext(container) && belongsTo(container, unit));
  return own.find(({ name }) => name === unit.spec.name) ?? own[0];
}

type Matches = readonly { unit: Unit; container: ActualContainer | undefined }[];

function routeDrift({ routes }: Desired, actual: Reading['actual']['routes'], matches: Matches): Drift[] {
  const nameOf = (id: string) => matches.find(({ container }) => container?.id === id)?.unit.spec.name ?? 'unknown';
  const declared = routes.map((rule) => {
    const targets = matches.filter(({ unit }) => unit.component === rule.component);
    return { rule, targets: targets.map(({ unit }) => unit.spec.name).sort() };
  });
  const names = [...new Set([...routes, ...actual].map(({ name }) => name))];
  return names.flatMap((name) => {
    const wanted = declared.find(({ rule }) => rule.name === name);
    const found = actual.find((route) => route.name === name);
    const shown = found && way(found, found.containers.map(nameOf).sort());
    const asked = wanted && way(wanted.rule, wanted.targets);
    if (isDeepStrictEqual(asked, shown)) return [];
    const component = wanted?.rule.component ?? found?.component ?? null;
    return [{ component, field: `routes.${name}`, declared: asked ?? null, actual: shown ?? null }];
  });
}

function way(rule: Desired['routes'][number], containers: readonly string[]) {
  const { host, path, port, strip, scheme, tls } = rule;
  return { host, path, port, strip, ...(scheme && { scheme }), tls, containers };
}

/** Gives drift a fixed order, so that equal drift is reported once. */
function byPlace(a: Drift, b: Drift): number {
  const [text, other] = [`${a.component ?? ''} ${a.field}`, `${b.component ?? ''} ${b.field}`];
  return text < other ? -1 : text > other ? 1 : 0;
}
