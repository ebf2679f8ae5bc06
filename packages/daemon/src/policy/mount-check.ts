import { accessOfPath } from '@hortus/template/host-access';
import { refuseAccess } from './host-access.ts';
import { isBelow, type PathWalk, realPath, walkPath } from './host-paths.ts';
import type { Policy } from './policy.ts';

/** A path of the server that a container mounts. */
export interface MountedPath {
  path: string;
  readOnly: boolean;
}

/** One that another container has, or a volume of the engine that any container could have. */
export interface OtherMount extends MountedPath {
  /** As a message names it: `container blog`. */
  holder: string;
  /** Whether the path was chosen by a person; those of volumes are the engine's own. */
  chosen: boolean;
}

export interface MountCheck {
  policy: Policy;
  /** The socket that this daemon drives the engine by. */
  engineSocket: string;
  wanted: readonly MountedPath[];
  others: readonly OtherMount[];
  /** Directories, resolved, that containers could write to at some time. */
  written: readonly string[];
}

/**
 * Says why a container must not start with the paths that it mounts; undefined if it may.
 *
 * The engine resolves a path at every start, also when it restarts a container by itself. So a path is refused unless everything
 * that it leads through is out of reach of containers: none that exists can write to a directory on the way, and no link on the
 * way lies where one could have made it earlier. A mount's own root cannot be replaced from inside the container.
 */
export function refuseMounts({ policy, engineSocket, wanted, others, written }: MountCheck): string | undefined {
  const walks = wanted.map((one) => ({ ...one, ...walkPath(one.path) }));
  for (const walk of walks) {
    const refused = refusePath(walk, policy, engineSocket);
    if (refused !== undefined) return refused;
    const own = walks.filter((one) => one !== walk).map((one) => ({ ...one, holder: 'the container itself' }));
    const writer = [...own, ...others].find((one) => canReplace(one, walk));
    if (writer)
      return `${walk.path} lies below ${writer.path}, which ${writer.holder} can write to and so exchange for a link; mount only one of them, or one of them elsewhere`;
    const link = walk.entries.find((entry) => entry.link && written.some((path) => isBelow(entry.directory, path)));
    if (link)
      return `${walk.path} leads through the link ${link.name} in ${link.directory}, where a container could write; replace the link by a directory, or mount its target`;
  }
  return undefined;
}

/** Says which mount of another container would become replaceable if a container could write to the wanted paths. */
export function refuseWriting({ wanted, others }: Pick<MountCheck, 'wanted' | 'others'>): string | undefined {
  for (const one of wanted) {
    const other = others.find(({ path, chosen }) => chosen && canReplace(one, walkPath(path)));
    if (other)
      return `${one.path} holds ${other.path}, which ${other.holder} mounts and which could be exchanged for a link; mount it read-only, or elsewhere`;
  }
  return undefined;
}

function refusePath({ path, real }: PathWalk & MountedPath, policy: Policy, engineSocket: string): string | undefined {
  const words = real === path ? '' : `${path} leads to ${real}: `;
  const refusal = refuseAccess(accessOfPath(real), policy);
  if (refusal) return `${words}${refusal.message} (rule ${refusal.rule})`;
  if (!policy.docker_socket && isBelow(realPath(engineSocket), real))
    return `${words}wants the engine's socket ${engineSocket}, which the policy of this server does not allow (rule docker_socket)`;
  return undefined;
}

/** A container that has all of the server needs no link to reach it. */
function canReplace(writer: MountedPath, { entries }: PathWalk): boolean {
  if (writer.readOnly) return false;
  const place = realPath(writer.path);
  return place !== '/' && entries.some(({ directory }) => isBelow(directory, place));
}
