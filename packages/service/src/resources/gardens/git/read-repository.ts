import { posix } from 'node:path';
import { MAX_GARDEN_LENGTH, readGarden } from '@hortus/garden/reading';
import type { Problem } from '@hortus/garden/secret-places';
import { invalid } from '../../../problem.ts';
import { workerJob } from '../../../workers/job.ts';
import { CommitTree, Unfit } from './commit-tree.ts';
import { MemoryFiles } from './memory-files.ts';
import { checkPack } from './pack-check.ts';

interface CommitFacts {
  readonly subject: string;
  readonly author: string;
  /** Milliseconds since 1970, as the commit says; null if it says none. */
  readonly committedAt: number | null;
}

/** The files of a garden in a commit; null if they have problems. */
export interface RepositoryRead {
  readonly commit: CommitFacts;
  readonly files: RepositoryFiles | null;
  readonly problems: readonly Problem[];
}

export interface RepositoryFiles {
  readonly garden: Record<string, unknown>;
  readonly templates: readonly { readonly path: string; readonly source: string }[];
}

const MAX_TEMPLATE_LENGTH = 262_144;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** Reads the garden of a commit and its templates from a pack. The pack is checked before the library inflates it. */
export const READ_REPOSITORY = workerJob(
  'garden.repository',
  async (pack: Uint8Array, sha: string, path: string): Promise<RepositoryRead> => {
    checkPack(pack);
    const tree = await CommitTree.open(files(pack), sha);
    const { commit } = tree;
    try {
      return { commit, files: await gardenIn(tree, path), problems: [] };
    } catch (error) {
      if (error instanceof Unfit) return { commit, files: null, problems: error.problems };
      throw error;
    }
  },
);

function files(pack: Uint8Array): MemoryFiles {
  const memory = new MemoryFiles();
  memory.add(CommitTree.PACK, pack);
  return memory;
}

async function gardenIn(tree: CommitTree, path: string): Promise<RepositoryFiles> {
  const text = await tree.text(path, MAX_GARDEN_LENGTH);
  const { garden, problems } = readGarden(text);
  if (garden === undefined)
    throw new Unfit(problems.map(({ field, message, line }) => ({ field, message: `${message} (line ${line})` })));
  let characters = 0;
  const templates = [];
  for (const name of new Set(garden.templates)) {
    const source = await tree.text(besides(path, name), MAX_TEMPLATE_LENGTH);
    characters += source.length;
    if (characters > MAX_CHARACTERS)
      throw Unfit.of('templates', `have more than ${MAX_CHARACTERS} characters together`);
    templates.push({ path: name, source });
  }
  return { garden, templates };
}

/** Templates lie beside the garden or below it. */
function besides(garden: string, path: string): string {
  const isOutside = path.startsWith('/') || path.split('/').includes('..');
  if (isOutside) throw Unfit.of('templates', `${path} leads out of the folder of the garden; move the template there`);
  return posix.join(posix.dirname(garden), path);
}

/** Checks the path that a user gives for the garden. */
export function checkPath(path: string): void {
  const parts = path.split('/');
  if (parts.some((part) => part === '..' || part === '.' || part === '' || part === '.git'))
    throw invalid('path', 'must be a path inside the repository, such as home/garden.yaml.');
}
