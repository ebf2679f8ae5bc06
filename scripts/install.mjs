// The first step of every command. It runs on whatever Node the machine has (20 or later) and before node_modules exists,
// so it is plain JavaScript and imports nothing but Node's own modules.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const binaries = join(modules, '.bin');

/** The Node this project pins; present once the install has run. */
export const projectNode = join(binaries, 'node');

const stamp = join(modules, '.hortus-installed');

/** Installs the npm packages if they are missing or belong to another package-lock.json. Says so on stderr. */
export async function install() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const hash = createHash('sha256').update(lock).digest('hex');
  const locked = JSON.parse(lock.toString());
  if (existsSync(projectNode) && allLinked(locked)) {
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
    // Someone ran `npm install` by hand: take that over instead of deleting and fetching the same packages again.
    if (agreesWithInstalled(locked)) return writeFileSync(stamp, hash);
  }
  console.error('Installing npm packages (npm ci) ...');
  if ((await npm(['ci', ...everything])) !== 0) {
    // npm ci also refuses a lock that leaves out optional packages of other platforms. The versions in it still hold here.
    console.error('npm ci refused; installing the locked versions with npm install ...');
    const code = await npm(['install', '--no-save', ...everything]);
    if (code !== 0) throw new Error(`npm install ended with ${code}; what it wrote above says why`);
  }
  if (!existsSync(projectNode)) {
    throw new Error('The pinned Node was not installed; allow install scripts and run: npm ci --ignore-scripts=false');
  }
  writeFileSync(stamp, hash);
}

/** npm's own record of what lies in node_modules names every package of the lock (but other platforms' optional ones). */
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
 * Whether the commands of the packages at the top, ours among them, are all there: an install that was interrupted, or
 * that is older than a command of ours, lacks some. Optional packages may be left out.
 */
export function allLinked(lock, folder = modules) {
  return Object.entries(lock.packages).every(([path, { bin = {}, optional, link }]) => {
    const top = /^(?:node_modules\/(?:@[^/]+\/)?|packages\/)[^/]+$/.test(path);
    if (!top || optional || link) return true;
    return Object.keys(bin).every((name) => existsSync(join(folder, '.bin', name)));
  });
}

// Also where NODE_ENV=production is set: the pinned Node and the checks are development dependencies.
const everything = ['--include=dev', '--include=optional', '--no-audit', '--no-fund'];

function npm(args) {
  // npm ci deletes node_modules first, so neither npm nor the install scripts may run on the Node inside it.
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => resolve(folder) !== binaries);
  return new Promise((done, fail) => {
    const child = spawn('npm', args, {
      cwd: root,
      env: { ...process.env, PATH: path.join(delimiter) },
      // stdout belongs to the command itself (a log, a result line); what npm says is only a note.
      stdio: ['ignore', process.stderr, process.stderr],
    });
    child.on('error', (error) => fail(new Error(`npm cannot be run: ${error.message}`)));
    child.on('close', (code, signal) => done(signal ?? code));
  });
}
