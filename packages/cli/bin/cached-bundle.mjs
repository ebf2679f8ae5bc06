// The bundle of the command line client in a checkout. Plain JavaScript, because it runs on every start and on any Node.
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const cacheOf = (tree) => join(tree, 'node_modules', '.cache', 'cli');

/** Returns the entry file of the bundle, or undefined if there is none or a source file changed since. */
export function freshBundle(tree = root) {
  try {
    const { main, sources } = JSON.parse(readFileSync(join(cacheOf(tree), 'current.json'), 'utf8'));
    const isFresh = sources.every(([path, size, changed]) => {
      const found = statSync(join(tree, path));
      return found.size === size && found.mtimeMs === changed;
    });
    return isFresh ? join(cacheOf(tree), main) : undefined;
  } catch {
    return undefined;
  }
}

/** Builds the bundle; returns undefined if that is impossible, for example in a folder that cannot be written. */
export function buildBundle() {
  const node = join(root, 'node_modules', '.bin', 'node');
  const build = [join(root, 'scripts', 'cli', 'cache-bundle.ts'), cacheOf(root)];
  spawnSync(node, build, { stdio: ['ignore', 'ignore', 'inherit'] });
  return freshBundle();
}
