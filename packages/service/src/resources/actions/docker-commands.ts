import { builtIn, isDockerCommand } from '@hortus/contract/actions/built-in-actions';
import type { Manifest } from '@hortus/contract/template/manifest';
import type { Queries } from '../../storage/storage.ts';
import { type Instances, specOf } from '../instances/public.ts';
import type { Catalog } from '../templates/public.ts';
import { containerOf, containersOf } from './containers.ts';
import type { ManifestOf } from './manifest-of.ts';
import type { Request } from './request.ts';
import type { ExecutionRow } from './store.ts';

/** Containers and volumes of an instance on a Docker host. */
interface OnHost {
  /** Names or ids, dependencies first. */
  readonly containers: readonly string[];
  readonly volumes: readonly string[];
}

/**
 * Builds the command line that carries out a built-in action on a Docker host, for daemons that do not know the action.
 * Empty for actions that need several commands: those need hortusd.
 */
function dockerCommand(
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
      return ['docker', 'rm', '--force', ...namedIn(params, backwards)];
    case builtIn.release:
      // With volumes, `hortus.remove` has run before: Docker removes a volume only after its containers.
      return params.remove_volumes === true && volumes.length > 0
        ? ['docker', 'volume', 'rm', '--force', ...volumes]
        : ['docker', 'rm', '--force', ...backwards];
    default:
      return [];
  }
}

const volumesOf = ({ components }: Manifest): string[] => [
  ...new Set(components.flatMap(({ storage }) => storage.flatMap(({ volume }) => volume ?? []))),
];

/** The order may name the containers: those on a server that the instance has left. */
const namedIn = ({ containers }: Readonly<Record<string, unknown>>, otherwise: readonly string[]): readonly string[] =>
  Array.isArray(containers) ? containers.map(String) : otherwise;

export interface CommandDeps {
  readonly catalog: Pick<Catalog, 'known'>;
  readonly instances: Pick<Instances, 'findIn'>;
  readonly manifestOf: ManifestOf;
}

/**
 * Fills in what a daemon without manifests needs, when the order is sent: a deployment or a sync may have changed names since.
 * For a template's action that is the container of its component, for a built-in one the command.
 */
export async function onHost(
  { catalog, instances, manifestOf }: CommandDeps,
  queries: Queries,
  row: ExecutionRow,
  request: Request,
): Promise<Request> {
  const { account_id, instance_id, slug } = row;
  const { type, component, params } = request;
  const isOwn = type === 'builtin' ? isDockerCommand(slug) : component !== undefined;
  if (instance_id === null || !isOwn) return request;
  const instance = await instances.findIn(queries, account_id, instance_id);
  if (!instance) return request;
  const spec = specOf(catalog, instance);
  if (component !== undefined) return { ...request, container: containerOf(spec, instance, component) };
  const { definition_id, revision } = instance;
  const containers = containersOf(spec, instance);
  const withVolumes = params.remove_volumes === true && revision !== null;
  const volumes = withVolumes
    ? volumesOf((await manifestOf(queries, account_id, definition_id, revision)).manifest)
    : [];
  return { ...request, command: dockerCommand(slug, params, { containers, volumes }) };
}
