import { isDeepStrictEqual } from 'node:util';
import type { Drift } from '@hortus/contract/resources/instance-records';
import type {
  PlannedChange,
  PlannedComponent,
  PlannedJob,
  PlannedPermission,
  PlannedRoute,
} from '@hortus/contract/resources/plan-records';
import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import { redact } from '../masking/redact.ts';
import { containerPart } from './container-part.ts';
import { canRunBeside, deployedComponents, primaryOf } from './replacement.ts';

/** A resolved manifest with secret values and their positions. */
export interface Resolved {
  readonly manifest: Manifest;
  readonly secretPaths: readonly string[];
}

export interface DeployedState {
  /** The last deployment; undefined if there is none. */
  readonly former: Resolved | undefined;
  /** Differences of its containers from the deployment. */
  readonly drift: readonly Drift[];
  /** Whether it is known to run: only a running instance can be interrupted. */
  readonly up: boolean;
}

export interface Prediction {
  readonly components: PlannedComponent[];
  readonly jobs: PlannedJob[];
  readonly routes: PlannedRoute[];
  readonly permissions: PlannedPermission[];
  /** Images of new containers, without duplicates. */
  readonly pulls: string[];
  readonly interruption: boolean;
}

/** Predicts what a deployment of a manifest would change, by the rules of the daemon's planner. */
export function predict(next: Resolved, deployed: DeployedState): Prediction {
  const former = deployed.former && sideOf(deployed.former);
  const later = sideOf(next);
  const stays = [...later.components.keys()];
  const gone = [...(former?.components.keys() ?? [])].filter((name) => !later.components.has(name));
  const components = [
    ...stays.map((name) => staying(name, former, later, deployed)),
    ...gone.map((name) => removed(former as Side, name)),
    ...tooMany(deployed.drift),
  ];
  const made = components.filter(({ change }) => change === 'created' || change === 'replaced');
  const partOf = (name: string) => later.components.get(name)?.component as ManifestComponent;
  return {
    components,
    jobs: made.filter(({ kind }) => kind === 'job').map(({ name }) => job(partOf(name))),
    routes: routes(deployed.former?.manifest, next.manifest),
    permissions: permissions(deployed.former?.manifest, next.manifest),
    pulls: [...new Set(made.map(({ name }) => partOf(name).image))],
    interruption: components.some((component) => component.interruption),
  };
}

interface Side {
  readonly components: ReadonlyMap<string, Part>;
}

interface Part {
  readonly component: ManifestComponent;
  /** The real values, and the values that may be shown. */
  readonly real: Record<string, unknown>;
  readonly shown: Record<string, unknown>;
}

function sideOf({ manifest, secretPaths }: Resolved): Side {
  const open = redact(manifest, secretPaths);
  const primary = primaryOf(manifest);
  const shownOf = new Map(open.components.map((component) => [component.name, component]));
  const parts = deployedComponents(manifest).map((component): [string, Part] => {
    const { name } = component;
    const isPrimary = name === primary;
    // The host name is needed to tell whether one was given, and is not a secret from its owner.
    const visible = { ...(shownOf.get(name) ?? component), host: component.host };
    const real = containerPart(component, isPrimary);
    return [
      name,
      {
        component,
        real,
        shown: containerPart({ ...visible, hostname: component.hostname ?? component.host }, isPrimary),
      },
    ];
  });
  return { components: new Map(parts) };
}

function staying(name: string, former: Side | undefined, later: Side, { drift, up }: DeployedState): PlannedComponent {
  const next = later.components.get(name) as Part;
  const before = former?.components.get(name);
  const { component } = next;
  const own = drift.filter((item) => item.component === name);
  const isMissing = own.some(({ field, actual }) => field === 'component' && actual === null);
  const changes = before ? changesBetween(before, next) : [];
  const altered = before && !isMissing ? own.filter(isAlteration).map(undone) : [];
  const count = component.kind === 'job' ? 1 : component.replicas;
  const common = { name, kind: component.kind, image: component.image };
  if (!before || isMissing) return { ...common, change: 'created', ...still, changes, containers: count };
  const scaled = arrangements.flatMap((field) => rearranged(field, before.component, component));
  const isSame = changes.length === 0 && altered.length === 0;
  const all = [...changes, ...altered, ...scaled];
  if (isSame) return { ...common, change: 'unchanged', ...still, changes: all, containers: count };
  const isService = component.kind === 'service';
  const beside = canRunBeside(component) && up;
  return {
    ...common,
    change: 'replaced',
    strategy: isService ? (beside ? 'beside' : 'recreate') : null,
    interruption: isService && up && !beside,
    changes: all,
    containers: count,
  };
}

const still = { strategy: null, interruption: false } as const;

function removed({ components }: Side, name: string): PlannedComponent {
  const { component } = components.get(name) as Part;
  const { kind, image, replicas } = component;
  return { name, kind, image, change: 'removed', ...still, changes: [], containers: kind === 'job' ? 1 : replicas };
}

/** Returns containers with Hortus labels that are not declared. */
function tooMany(drift: readonly Drift[]): PlannedComponent[] {
  return drift
    .filter(({ field, declared }) => field === 'component' && declared === null)
    .map(({ component, actual }) => ({
      name: String(actual ?? component),
      kind: 'service',
      image: null,
      change: 'removed',
      ...still,
      changes: [],
      containers: 1,
    }));
}

function changesBetween(before: Part, after: Part): PlannedChange[] {
  const fields = [...new Set([...Object.keys(before.real), ...Object.keys(after.real)])].sort();
  return fields.flatMap((field) => {
    if (isDeepStrictEqual(before.real[field], after.real[field])) return [];
    return [{ field, before: stated(field, before), after: stated(field, after), drift: false }];
  });
}

const HIDDEN = '***';
const MAX_LENGTH = 200;

/** Hides secrets and the contents of files. */
function stated(field: string, { real, shown }: Part): unknown {
  const value = shown[field];
  if (real[field] === undefined) return null;
  if (field.startsWith('files.')) return HIDDEN;
  return short(hide(value));
}

function hide(value: unknown): unknown {
  if (value === null) return HIDDEN;
  if (Array.isArray(value)) return value.map(hide);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, hide(item)]));
}

function short(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value;
  return value;
}

/** How many containers there are and where: fields that do not make another container. */
const arrangements = ['replicas', 'placement', 'on_node_loss'] as const;

function rearranged(
  field: (typeof arrangements)[number],
  before: ManifestComponent,
  after: ManifestComponent,
): PlannedChange[] {
  if (isDeepStrictEqual(before[field], after[field])) return [];
  return [{ field, before: before[field] ?? null, after: after[field] ?? null, drift: false }];
}

/**
 * Tells whether the drift makes a rollout replace the container. A container that is only disconnected from its network
 * is reconnected.
 */
function isAlteration({ field, actual }: Drift): boolean {
  if (field === 'component' || field.startsWith('routes.')) return false;
  return !(field.startsWith('networks.') && actual === null);
}

const undone = ({ field, declared, actual }: Drift): PlannedChange => ({
  field,
  before: actual,
  after: declared,
  drift: true,
});

const job = ({ name, image, run, irreversible }: ManifestComponent): PlannedJob => ({
  component: name,
  image,
  run: run === 'after_start' ? run : 'before_start',
  irreversible,
});

function routes(former: Manifest | undefined, next: Manifest): PlannedRoute[] {
  const [before, after] = [former?.routes ?? [], next.routes];
  const names = [...new Set([...after, ...before].map(({ name }) => name))];
  return names.map((name) => {
    const [was, is] = [before.find((item) => item.name === name), after.find((item) => item.name === name)];
    const change = !was ? 'added' : !is ? 'removed' : isDeepStrictEqual(was, is) ? 'unchanged' : 'changed';
    return { name, change, before: was?.url ?? null, after: is?.url ?? null };
  });
}

/** Returns the permissions that the former manifest did not have. */
function permissions(former: Manifest | undefined, next: Manifest): PlannedPermission[] {
  const isGranted = (wanted: Manifest['permissions'][number]) =>
    (former?.permissions ?? []).some(
      ({ kind, component, value }) => kind === wanted.kind && component === wanted.component && value === wanted.value,
    );
  return next.permissions
    .filter((permission) => !isGranted(permission))
    .map(({ kind, component, value = null, reason, needs_operator }) => ({
      kind,
      component,
      value,
      reason,
      needs_operator,
    }));
}
