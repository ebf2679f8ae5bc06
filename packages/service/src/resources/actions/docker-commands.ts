import { builtIn, isDockerCommand } from '@hortus/contract/built-in-actions';
import type { Manifest } from '@hortus/contract/template/manifest';
import type { Canonical } from '@hortus/template/canonical-form';
import { startOrder } from '@hortus/template/start-order';
import type { Queries } from '../../storage/storage.ts';
import { type Instances, type NamedRow, specOf } from '../instances/public.ts';
import type { Catalog } from '../templates/public.ts';
import { containerOf } from './declared.ts';
import type { ManifestOf } from './manifest-of.ts';
import type { Request } from './request.ts';
import type { ExecutionRow } from './store.ts';

/** Containers and volumes of an instance on a Docker host. */
export interface OnHost {
  /** Names or ids, dependencies first. */
  readonly containers: readonly string[];
  readonly volumes: readonly string[];
}

/**
 * Builds the command line that carries out a built-in action on a Docker host, for daemons that do not know the action.
 * Empty for actions that need several commands: those need hortusd.
 */
export function dockerCommand(
  slug: string,
  params: Readonly<Record<string, unknown>>,
  { containers, volumes }: OnHost,
): string[] {
  const backwards = containers.toReversed();
  switch (isDockerCommand(slug) ? slug : undefined) {
    case builtIn.start:
      return ['docker', 'start', ...containers];
    case builtIn.stop:
      return ['docker', 'stop', ...backwards];
    case builtIn.restart:
      return ['docker', 'restart', ...containers];
    case builtIn.remove:
      return ['docker', 'rm', '--force', ...backwards];
    case builtIn.release:
      // With volumes, `hortus.remove` has run before: Docker removes a volume only after its containers.
      return params.remove_volumes === true && volumes.length > 0
        ? ['docker', 'volume', 'rm', '--force', ...volumes]
        : ['docker', 'rm', '--force', ...backwards];
    default:
      return [];
  }
}

interface Synced {
  readonly name: string;
  readonly container_id: string | null;
  readonly container_name?: string | null;
}

/**
 * Lists the containers of an instance: synced ones by the names that the daemon reported, other components by the
 * naming rule.
 */
function containersOf(spec: Canonical, instance: NamedRow): string[] {
  const synced = JSON.parse(instance.components) as Synced[];
  const services = startOrder(spec.components).filter((name) => spec.components[name]?.kind === 'service');
  const known = new Map(synced.map((one) => [one.name, one]));
  const declared = services.map((name) => {
    const standard = containerOf(spec, instance, name);
    const one = known.get(name);
    return one?.container_name ?? (standard === instance.container_name ? standard : (one?.container_id ?? standard));
  });
  const others = synced
    .filter(({ name }) => spec.components[name] === undefined)
    .flatMap(({ container_name, container_id }) => container_name ?? container_id ?? []);
  return [...new Set([...declared, ...others])];
}

const volumesOf = ({ components }: Manifest): string[] => [
  ...new Set(components.flatMap(({ storage }) => storage.flatMap(({ volume }) => volume ?? []))),
];

export interface CommandDeps {
  readonly catalog: Pick<Catalog, 'known'>;
  readonly instances: Pick<Instances, 'findIn'>;
  readonly manifestOf: ManifestOf;
}

/** Builds the command when the order is sent: a deployment may have changed the names since. */
export async function commandOf(
  { catalog, instances, manifestOf }: CommandDeps,
  queries: Queries,
  row: ExecutionRow,
  request: Request,
): Promise<readonly string[]> {
  const { account_id, instance_id, slug } = row;
  if (request.type !== 'builtin' || instance_id === null || !isDockerCommand(slug)) return request.command;
  const instance = await instances.findIn(queries, account_id, instance_id);
  if (!instance) return request.command;
  const { definition_id, revision } = instance;
  const containers = containersOf(specOf(catalog, instance), instance);
  const withVolumes = request.params.remove_volumes === true && revision !== null;
  const volumes = withVolumes
    ? volumesOf((await manifestOf(queries, account_id, definition_id, revision)).manifest)
    : [];
  return dockerCommand(slug, request.params, { containers, volumes });
}
