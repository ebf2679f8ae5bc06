// The first step of every command. Runs on any Node from 20 on and before node_modules exists, so it is plain JavaScript
// without dependencies.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installNodeLibrary } from './node-library.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const binaries = join(modules, '.bin');

/** The pinned Node of the project; exists after the install. */
export const projectNode = join(binaries, 'node');

const stamp = join(modules, '.hortus-installed');

/** Installs the npm packages if they are missing or belong to another package-lock.json. Says so on stderr. */
export async function install() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const hash = createHash('sha256').update(lock).digest('hex');
  const locked = JSON.parse(lock.toString());
  if (existsSync(projectNode) && allLinked(locked)) {
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
    // Accepts a manual `npm install` instead of downloading the same packages again.
    if (agreesWithInstalled(locked)) return writeFileSync(stamp, hash);
  }
  await installNodeLibrary();
  console.error('Installing npm packages (npm ci) ...');
  if ((await npm(['ci', ...everything])) !== 0) {
    // npm ci also refuses a lock without optional packages of other platforms; its versions are still valid here.
    console.error('npm ci refused; installing the locked versions with npm install ...');
    const code = await npm(['install', '--no-save', ...everything]);
    if (code !== 0) throw new Error(`npm install ended with ${code}; see its output above`);
  }
  if (!existsSync(projectNode)) {
    throw new Error('The pinned Node was not installed; allow install scripts and run: npm ci --ignore-scripts=false');
  }
  writeFileSync(stamp, hash);
}

/** Compares npm's record of node_modules with the lock, except for optional packages of other platforms. */
function agreesWithInstalled(lock) {
  const record = join(modules, '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed[path];
    if (found === undefined) return wanted.optional === true;
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

/**
 * Tells whether all commands of the top-level packages exist; an interrupted or outdated install lacks some. Optional packages
 * may be missing.
 * @public
 */
export function allLinked(lock, folder = modules) {
  return Object.entries(lock.packages).every(([path, { bin = {}, optional, link }]) => {
    const top = /^(?:node_modules\/(?:@[^/]+\/)?|packages\/)[^/]+$/.test(path);
    if (!top || optional || link) return true;
    return Object.keys(bin).every((name) => existsSync(join(folder, '.bin', name)));
  });
}

// Also with NODE_ENV=production: the pinned Node and the checks are development dependencies. Warnings are about the Node
// that installs, which runs nothing else.
const everything = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];

function npm(args) {
  // npm ci deletes node_modules first, so neither npm nor the install scripts may run on the Node inside it.
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => resolve(folder) !== binaries);
  return new Promise((done, fail) => {
    const child = spawn('npm', args, {
      cwd: root,
      env: { ...process.env, PATH: path.join(delimiter) },
      // npm writes to stderr, because stdout belongs to the command itself.
      stdio: ['ignore', process.stderr, process.stderr],
    });
    child.on('error', (error) => fail(new Error(`npm cannot be run: ${error.message}`)));
    child.on('close', (code, signal) => done(signal ?? code));
  });
}
