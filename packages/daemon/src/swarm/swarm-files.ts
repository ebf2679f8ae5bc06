import { createHash } from 'node:crypto';
import type { Cluster, MountedSecret, ServiceFacts } from '../engine/cluster.ts';
import type { ContainerFile } from '../engine/container-spec.ts';
import { isEngineProblem } from '../engine/engine-problem.ts';
import { label } from '../plan/labels.ts';

/** Marks secrets that are files of components. */
const FILE = 'hortus.file';

/**
 * Stores files as secrets: any file may contain a password, and the API never returns the content of a secret. Names derive
 * from the content, so that equal files are stored once and a changed file gets a new name, as the Swarm requires.
 */
export async function storeFiles(
  cluster: Cluster,
  own: Record<string, string>,
  files: readonly ContainerFile[],
): Promise<MountedSecret[]> {
  const labels = { ...own, [FILE]: 'true' };
  const known = new Map((await ownSecrets(cluster, own)).map(({ name, id }) => [name, id]));
  const stored: MountedSecret[] = [];
  for (const { path, mode, content } of files) {
    const name = secretName(own[label.instance] ?? '', content);
    const id = known.get(name) ?? (await create(cluster, own, { name, labels, data: Buffer.from(content) }));
    known.set(name, id);
    stored.push({ id, name, path, mode });
  }
  return stored;
}

/** Two components may store the same file at the same time. */
async function create(
  cluster: Cluster,
  own: Record<string, string>,
  spec: Parameters<Cluster['createContent']>[1],
): Promise<string> {
  try {
    return await cluster.createContent('secrets', spec);
  } catch (error) {
    if (!isEngineProblem(error, 'conflict')) throw error;
    const found = (await ownSecrets(cluster, own)).find(({ name }) => name === spec.name);
    if (found === undefined) throw error;
    return found.id;
  }
}

/** Removes the files that no service of the instance uses, nor would use after a rollback. */
export async function removeUnusedFiles(
  cluster: Cluster,
  own: Record<string, string>,
  services: readonly ServiceFacts[],
): Promise<number> {
  const used = new Set(services.flatMap(({ secrets }) => secrets));
  let removed = 0;
  for (const { id } of await ownSecrets(cluster, own)) {
    // One that a service has begun to use meanwhile stays.
    if (!used.has(id) && (await cluster.removeContent('secrets', id))) removed++;
  }
  return removed;
}

const ownSecrets = (cluster: Cluster, own: Record<string, string>) =>
  cluster.contents('secrets', { labels: { [FILE]: 'true', [label.instance]: own[label.instance] ?? '' } });

/** At most 64 characters. */
const secretName = (uid: string, content: string): string =>
  `hortus-${createHash('sha256').update(`${uid}\0${content}`).digest('hex').slice(0, 48)}`;
