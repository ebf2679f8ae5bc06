// The built console for npm start and the tests. Built again only if its sources changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './install.mjs';
import { runOnProjectNode } from './project-node.mjs';

/** Everything that goes into the build. */
const SOURCES = [
  'packages/web',
  'packages/client/src',
  'packages/contract/src',
  'packages/template/src/marks',
  'scripts/build-console.ts',
  'package-lock.json',
];
const STAMP = 'sources.sha256';

/** Builds the console if needed; true if it is there and belongs to the sources. A failed build keeps the last one. */
export async function buildConsole({ tree = root, make = build } = {}) {
  const folder = join(tree, 'dist', 'console');
  const hash = fingerprint(tree);
  if (stampOf(folder) === hash) return true;
  const unfinished = `${folder}.${process.pid}`;
  const former = `${folder}.former.${process.pid}`;
  try {
    mkdirSync(join(tree, 'dist'), { recursive: true });
    await make(unfinished);
    writeFileSync(join(unfinished, STAMP), hash);
    // A concurrent start may have built the same.
    if (stampOf(folder) === hash) return true;
    if (existsSync(folder)) renameSync(folder, former);
    renameSync(unfinished, folder);
    return true;
  } catch (error) {
    // A concurrent build was faster.
    if (stampOf(folder) === hash) return true;
    const rest = existsSync(folder) ? 'The last build is served.' : 'The API works; / leads to its reference.';
    console.error(`The console was not built: ${error.message}. ${rest}`);
    return false;
  } finally {
    for (const rubbish of [unfinished, former]) rmSync(rubbish, { recursive: true, force: true });
  }
}

async function build(folder) {
  console.error('Building the console ...');
  const code = await runOnProjectNode('scripts/build-console.ts', { args: [folder], whenKilled: 'SIGKILL' });
  if (code !== 0) throw new Error(`its build ended with ${code}`);
}

function stampOf(folder) {
  const stamp = join(folder, STAMP);
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
}

/** Hashes the content of all sources, so that a checkout or a copy with new file times builds nothing. */
function fingerprint(tree) {
  const hash = createHash('sha256');
  for (const place of SOURCES) {
    const path = join(tree, place);
    if (!existsSync(path)) continue;
    for (const file of filesIn(path)) hash.update(`${place} ${file}\n`).update(readFileSync(join(path, file)));
  }
  return hash.digest('hex');
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [''];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .filter((file) => !file.startsWith('node_modules/'))
    .sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = (await buildConsole()) ? 0 : 1;
