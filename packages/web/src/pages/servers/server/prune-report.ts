import type { PruneReport } from '@hortus/contract/resources/servers';

/** The report in the output of a prune; undefined if it is not one, as with a daemon of another version. */
export function reportOf(output: string | null): PruneReport | undefined {
  try {
    const found = JSON.parse(output ?? '') as Partial<PruneReport>;
    const names = (list: unknown): string[] => (Array.isArray(list) ? list.map(String) : []);
    return {
      dry_run: found.dry_run === true,
      containers: names(found.containers),
      networks: names(found.networks),
      images: names(found.images),
      volumes: names(found.volumes),
      kept_volumes: names(found.kept_volumes),
      problems: names(found.problems),
    };
  } catch {
    return undefined;
  }
}

/** How many objects a report names, without the volumes that stay. */
export const sizeOf = ({ containers, networks, images, volumes }: PruneReport): number =>
  containers.length + networks.length + images.length + volumes.length;
