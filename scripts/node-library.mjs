// A library that the project's Node is linked with and a minimal Debian lacks. Without it even `npm ci` fails, because npm runs
// scripts on the Node that it just installed. Plain JavaScript without dependencies, like install.mjs.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

const PACKAGE = 'libatomic1';
const FILE = 'libatomic.so.1';
const folders = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };
const commands = [
  ['apt-get', 'update'],
  ['apt-get', 'install', '-y', '--no-install-recommends', PACKAGE],
];

/**
 * Installs the library on Debian as root; otherwise throws with the command. Elsewhere it changes nothing.
 *
 * @param {{ exists?: (path: string) => boolean, isRoot?: boolean, arch?: string, run?: (argv: string[]) => Promise<number> }} [machine]
 */
export async function installNodeLibrary({
  exists = existsSync,
  isRoot = process.getuid?.() === 0,
  arch = process.arch,
  run = runQuietly,
} = {}) {
  const folder = folders[arch];
  if (folder === undefined || !exists('/usr/bin/apt-get')) return;
  if (['/usr/lib', '/lib'].some((base) => exists(`${base}/${folder}/${FILE}`))) return;
  if (!isRoot) {
    const words = commands.map((argv) => argv.join(' ')).join(' && ');
    throw new Error(`Node needs the Debian package ${PACKAGE}. Run as root, then try again:\n  ${words}`);
  }
  console.error(`Installing the Debian package ${PACKAGE}, which Node needs ...`);
  for (const argv of commands) {
    const code = await run(argv);
    if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}; see its output above`);
  }
}

function runQuietly([program, ...args]) {
  return new Promise((done, fail) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    // Standard output belongs to the command itself.
    const child = spawn(program, args, { env, stdio: ['ignore', process.stderr, process.stderr] });
    child.on('error', fail);
    child.on('close', (code, signal) => done(signal ?? code));
  });
}
