// Bundles of the service and the daemon for npm start, one module each. From the source, loading hundreds of modules takes most
// of the start-up time and a third of the memory.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';
import { runOnProjectNode } from './project-node.mjs';

/** Number of old bundles to keep, because a running service may still read from one. */
const MAX_KEPT = 3;

/** Returns the folder of the bundles and rebuilds them after source changes. Undefined if they cannot be stored; then the source runs. */
export async function programs({ tree = root, make = bundle } = {}) {
  const cache = join(tree, 'node_modules', '.cache', 'programs');
  const folder = join(cache, fingerprint(tree));
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  try {
    mkdirSync(cache, { recursive: true });
    forget(cache);
    await make(unfinished);
    // A concurrent start has created the same bundle.
    if (!existsSync(folder)) renameSync(unfinished, folder);
    return folder;
  } catch (error) {
    console.error(`The service runs from its source, which takes longer: ${error.message}`);
    return undefined;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

async function bundle(folder) {
  const code = await runOnProjectNode('scripts/bundle-programs.ts', { args: [folder], whenKilled: 'SIGKILL' });
  if (code !== 0) throw new Error(`bundling it ended with ${code}`);
}

/** Hashes every source file, every package and the path of the tree, which the bundles contain. */
function fingerprint(tree) {
  const hash = createHash('sha256').update(`${tree}\n`);
  for (const place of ['packages', 'scripts', 'package-lock.json']) {
    const path = join(tree, place);
    const files = place.includes('.') ? [''] : readdirSync(path, { recursive: true }).sort();
    for (const file of files) {
      // The console has a build of its own.
      if (file.startsWith('web/')) continue;
      // Temporary files of editors may disappear.
      const found = statSync(join(path, file), { throwIfNoEntry: false });
      hash.update(`${place}/${file} ${found?.size} ${found?.mtimeMs}\n`);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

function forget(cache) {
  const age = (name) => statSync(join(cache, name)).mtimeMs;
  const former = readdirSync(cache).sort((a, b) => age(b) - age(a));
  for (const name of former.slice(MAX_KEPT - 1)) rmSync(join(cache, name), { recursive: true, force: true });
}
