import { accessOfPath } from '@hortus/template/canonical/host-access';
import { refuseAccess } from './host-access.ts';
import { isBelow, type PathWalk, realPath, walkPath } from './host-paths.ts';
import type { Policy } from './policy.ts';

/** A path of the server that a container mounts. */
export interface MountedPath {
  path: string;
  readOnly: boolean;
}

/** A mount of another container, or a volume of the engine that any container could mount. */
export interface OtherMount extends MountedPath {
  /** Description for messages: `container blog`. */
  holder: string;
  /** Whether a person chose the path; paths of volumes are the engine's own. */
  chosen: boolean;
}

export interface MountCheck {
  policy: Policy;
  /** Socket that this daemon uses to control the engine. */
  engineSocket: string;
  wanted: readonly MountedPath[];
  others: readonly OtherMount[];
  /** Resolved directories that containers have ever been able to write to. */
  written: readonly string[];
}

/**
 * Returns why a container must not start with its host mounts, or undefined. The engine resolves paths at every start,
 * including its own restarts. So a path is rejected unless containers cannot influence its resolution: no existing
 * container can write to a directory on the way, and no link on the way is in a directory that containers could write
 * to earlier. The root of a mount cannot be replaced from inside the container.
 */
export function refuseMounts({ policy, engineSocket, wanted, others, written }: MountCheck): string | undefined {
  const walks = wanted.map((path) => ({ ...path, ...walkPath(path.path) }));
  for (const walk of walks) {
    const refused = refusePath(walk, policy, engineSocket);
    if (refused !== undefined) return refused;
    const own = walks.filter((item) => item !== walk).map((walk) => ({ ...walk, holder: 'the container itself' }));
    const writer = [...own, ...others].find((item) => canReplace(item, walk));
    if (writer)
      return `${walk.path} lies below ${writer.path}, which ${writer.holder} can write to and replace by a link; mount only one of them, or move one elsewhere`;
    const link = walk.entries.find((entry) => entry.link && written.some((path) => isBelow(entry.directory, path)));
    if (link)
      return `${walk.path} leads through the link ${link.name} in ${link.directory}, where a container could write; replace the link with a directory, or mount its target`;
  }
  return undefined;
}

/** Returns which mount of another container would become replaceable by write access to the wanted paths. */
export function refuseWriting({ wanted, others }: Pick<MountCheck, 'wanted' | 'others'>): string | undefined {
  for (const item of wanted) {
    const other = others.find(({ path, chosen }) => chosen && canReplace(item, walkPath(path)));
    if (other)
      return `${item.path} contains ${other.path}, which ${other.holder} mounts and which could be replaced by a link; mount it read-only, or elsewhere`;
  }
  return undefined;
}

function refusePath({ path, real }: PathWalk & MountedPath, policy: Policy, engineSocket: string): string | undefined {
  const words = real === path ? '' : `${path} leads to ${real}: `;
  const refusal = refuseAccess(accessOfPath(real), policy);
  if (refusal) return `${words}${refusal.message} (rule ${refusal.rule})`;
  if (!policy.docker_socket && isBelow(realPath(engineSocket), real))
    return `${words}requests the engine's socket ${engineSocket}, which the policy of this server does not allow (rule docker_socket)`;
  return undefined;
}

/** Answers whether a container could replace part of the path. One that mounts all of the server needs no link. */
function canReplace(writer: MountedPath, { entries }: PathWalk): boolean {
  if (writer.readOnly) return false;
  const place = realPath(writer.path);
  return place !== '/' && entries.some(({ directory }) => isBelow(directory, place));
}
