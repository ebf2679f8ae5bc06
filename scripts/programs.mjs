// The service and the daemon as npm start runs them: one module each. From the source most of a start, and a third of the
// memory, goes into finding and keeping some hundred modules.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';
import { runOnProjectNode } from './project-node.mjs';

/** Of former sources; a service that was started from one still reads parts of it. */
const MOST_KEPT = 3;

/** Where the programs lie, made anew when the source has changed. Undefined where they cannot be kept: then it is the source that runs. */
export async function programs({ tree = root, make = bundle } = {}) {
  const cache = join(tree, 'node_modules', '.cache', 'programs');
  const folder = join(cache, fingerprint(tree));
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  try {
    mkdirSync(cache, { recursive: true });
    forget(cache);
    await make(unfinished);
    // Whoever started at the same time has made the same.
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

/** Changes with every file that the programs are made of, with every package, and with the place of the tree, which they hold. */
function fingerprint(tree) {
  const hash = createHash('sha256').update(`${tree}\n`);
  for (const place of ['packages', 'scripts', 'package-lock.json']) {
    const path = join(tree, place);
    const files = place.includes('.') ? [''] : readdirSync(path, { recursive: true }).sort();
    for (const file of files) {
      // An editor's passing files may be gone by now.
      const found = statSync(join(path, file), { throwIfNoEntry: false });
      hash.update(`${place}/${file} ${found?.size} ${found?.mtimeMs}\n`);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

function forget(cache) {
  const age = (name) => statSync(join(cache, name)).mtimeMs;
  const former = readdirSync(cache).sort((a, b) => age(b) - age(a));
  for (const name of former.slice(MOST_KEPT - 1)) rmSync(join(cache, name), { recursive: true, force: true });
}
