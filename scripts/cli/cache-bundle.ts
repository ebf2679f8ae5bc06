// node scripts/cli/cache-bundle.ts <cache>: builds the bundle that packages/cli/bin/hortus.mjs runs.
import { globSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundleCli } from './bundle.ts';

/** Number of old bundles to keep, because a running command may still load code from one. */
const MAX_KEPT = 3;
const root = join(import.meta.dirname, '../..');
/** Files that the bundle depends on without containing them: the tables are made from them. */
const alsoRead = [
  'packages/contract/src/**/*.ts',
  'packages/cli/src/commands/*.ts',
  'scripts/cli/*.ts',
  'scripts/callers-table.ts',
  'package-lock.json',
];

const cache = process.argv[2] as string;
mkdirSync(cache, { recursive: true });
const name = `${Date.now()}-${process.pid}`;
// Stamps from before the build: a file that changes meanwhile makes the bundle stale.
const before = new Map(globSync('packages/*/src/**/*.ts', { cwd: root }).map((path) => [path, stamp(path)]));
try {
  const bundled = (await bundleCli(join(cache, name))).filter((file) => file.startsWith(join(root, 'packages')));
  const paths = new Set([...bundled.map((file) => relative(root, file)), ...globSync(alsoRead, { cwd: root })]);
  const sources = [...paths]
    .filter((path) => !path.endsWith('.test.ts'))
    .sort()
    .map((path) => [path, ...(before.get(path) ?? stamp(path))]);
  const draft = join(cache, `${name}.json`);
  writeFileSync(draft, JSON.stringify({ main: `${name}/main.mjs`, sources }));
  renameSync(draft, join(cache, 'current.json'));
  const kept = readdirSync(cache)
    .filter((entry) => !entry.includes('.'))
    .sort()
    .reverse();
  for (const old of kept.slice(MAX_KEPT)) rmSync(join(cache, old), { recursive: true, force: true });
} catch (error) {
  rmSync(join(cache, name), { recursive: true, force: true });
  throw error;
}

function stamp(path: string): [size: number, changed: number] {
  const { size, mtimeMs } = statSync(join(root, path));
  return [size, mtimeMs];
}
