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
  const partOf = (name: string) => later.components.get(name) as Part;
  return {
    components,
    jobs: made.filter(({ kind }) => kind === 'job').map(({ name }) => job(partOf(name))),
    routes: routes(former, later),
    permissions: permissions(former, later),
    pulls: [...new Set(made.map(({ name }) => imageOf(partOf(name))))],
    interruption: components.some((component) => component.interruption),
  };
}

interface Side {
  readonly components: ReadonlyMap<string, Part>;
  readonly manifest: Manifest;
  /** The manifest with null for secrets, whatever the type of the field. */
  readonly open: Manifest;
}

interface Part {
  readonly component: ManifestComponent;
  /** The component with null for secrets, whatever the type of the field. */
  readonly open: ManifestComponent;
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
    const visible = shownOf.get(name) ?? component;
    // The host name is needed to tell whether one was given. What stands for a secret must have a length.
    const hostname = visible.hostname === null ? HIDDEN : (component.hostname ?? component.host);
    const real = containerPart(component, isPrimary);
    const shown = containerPart({ ...visible, hostname }, isPrimary);
    return [name, { component, open: visible, real, shown }];
  });
  return { components: new Map(parts), manifest, open };
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
  const common = { name, kind: component.kind, image: imageOf(next) };
  if (!before || isMissing) return { ...common, change: 'created', ...still, changes, containers: count };
  const scaled = arrangements.flatMap((field) => rearranged(field, before, next));
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
  const part = components.get(name) as Part;
  const { kind, replicas } = part.component;
  return {
    name,
    kind,
    image: imageOf(part),
    change: 'removed',
    ...still,
    changes: [],
    containers: kind === 'job' ? 1 : replicas,
  };
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
    return [
      {
        field: shownName(field, before, after),
        before: stated(field, before),
        after: stated(field, after),
        drift: false,
      },
    ];
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

/** Mounts and files are named by their path. */
const shownName = (field: string, ...parts: readonly Part[]): string =>
  parts.some(({ shown }) => Object.hasOwn(shown, field)) ? field : `${field.split('.', 1)[0]}.${HIDDEN}`;

/** A text that is null for a secret, which its type does not say. */
const textOf = (text: string | null): string => text ?? HIDDEN;

const imageOf = ({ open }: Part): string => textOf(open.image);

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

function rearranged(field: (typeof arrangements)[number], before: Part, after: Part): PlannedChange[] {
  if (isDeepStrictEqual(before.component[field], after.component[field])) return [];
  const value = ({ component, open }: Part) => (component[field] === undefined ? null : hide(open[field]));
  return [{ field, before: value(before), after: value(after), drift: false }];
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

const job = (part: Part): PlannedJob => ({
  component: part.component.name,
  image: imageOf(part),
  run: part.component.run === 'after_start' ? 'after_start' : 'before_start',
  irreversible: part.component.irreversible,
});

function routes(former: Side | undefined, next: Side): PlannedRoute[] {
  const [before, after] = [former?.manifest.routes ?? [], next.manifest.routes];
  const names = [...new Set([...after, ...before].map(({ name }) => name))];
  return names.map((name) => {
    const [was, is] = [before.find((item) => item.name === name), after.find((item) => item.name === name)];
    const change = !was ? 'added' : !is ? 'removed' : isDeepStrictEqual(was, is) ? 'unchanged' : 'changed';
    return { name, change, before: urlOf(former, name), after: urlOf(next, name) };
  });
}

function urlOf(side: Side | undefined, name: string): string | null {
  const route = side?.open.routes.find((item) => item.name === name);
  return route ? textOf(route.url) : null;
}

/** Returns the permissions that the former manifest did not have. */
function permissions(former: Side | undefined, { manifest: next, open }: Side): PlannedPermission[] {
  const isGranted = (wanted: Manifest['permissions'][number]) =>
    (former?.manifest.permissions ?? []).some(
      ({ kind, component, value }) => kind === wanted.kind && component === wanted.component && value === wanted.value,
    );
  return next.permissions.flatMap((permission, index) => {
    if (isGranted(permission)) return [];
    const { kind, component, value, reason, needs_operator } = permission;
    const shown = value === undefined ? null : textOf(open.permissions[index]?.value ?? null);
    return [{ kind, component, value: shown, reason, needs_operator }];
  });
}
