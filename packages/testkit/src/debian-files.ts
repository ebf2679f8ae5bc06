import { execFile } from 'node:child_process';
import { closeSync, existsSync, globSync, lstatSync, openSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a program does not need to run; PostgreSQL's compiler alone would bring a hundred megabytes of libraries. */
const unneeded = [
  /^\/usr\/share\/(doc|doc-base|man|info|locale|lintian|bug|apport|bash-completion)\//,
  /^\/usr\/lib\/postgresql\/[^/]+\/lib\/(bitcode\/|llvmjit)/,
  /^\/(etc|usr\/lib|lib)\/(init\.d|systemd|logrotate\.d|cron\.[a-z]+|apparmor\.d)\//,
];

export type Wanted = {
  /** Debian packages whose files are taken; a `*` stands for what is installed, such as a version. */
  packages: readonly string[];
  /** Programs of other packages, taken alone. */
  programs?: readonly string[];
  /** Files that no package lists, because its installation made them; `*` is allowed. */
  also?: readonly string[];
};

/**
 * The files of this machine that programs need: their packages', and the libraries they are linked with. Paths are absolute
 * and real, so that they hold in a folder where /bin and /lib lead to /usr as on every Debian of today.
 */
export async function debianFiles({ packages, programs = [], also = [] }: Wanted): Promise<string[]> {
  const { stdout: listed } = await run('dpkg', ['-L', ...(await installed(packages))]);
  const own = [...listed.split('\n'), ...programs.map(programPath), ...also.flatMap((path) => globSync(path))]
    .filter((path) => path.startsWith('/') && path !== '/.' && existsSync(path))
    .filter((path) => !unneeded.some((pattern) => pattern.test(path)))
    .map(realPlace);
  const found = new Set(own.flatMap(withTarget));
  for (const library of await libraries([...found].filter(isProgram))) {
    for (const path of withTarget(realPlace(library))) found.add(path);
  }
  return [...found].sort();
}

async function installed(patterns: readonly string[]): Promise<string[]> {
  const format = '${db:Status-Abbrev}\t${Package}\n';
  const { stdout } = await run('dpkg-query', ['--show', `--showformat=${format}`, ...patterns]);
  const names = stdout.split('\n').flatMap((line) => (line.startsWith('ii') ? (line.split('\t')[1] as string) : []));
  if (names.length === 0) throw new Error(`${patterns.join(', ')} is not installed; npm test installs it`);
  return names;
}

function programPath(name: string): string {
  const path = ['/usr/bin', '/usr/sbin'].map((folder) => join(folder, name)).find((one) => existsSync(one));
  if (path === undefined) throw new Error(`${name} is not installed; npm test installs it`);
  return path;
}

/** The folder made real, the name kept: the name itself may be a link that programs ask for. */
function realPlace(path: string): string {
  return join(realpathSync(dirname(path)), basename(path));
}

/** A link of an image is worth as much as what it leads to, over however many others. */
function withTarget(path: string): string[] {
  if (!lstatSync(path).isSymbolicLink()) return [path];
  return [path, ...withTarget(realPlace(resolve(dirname(path), readlinkSync(path))))];
}

const elfMark = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);

function isProgram(path: string): boolean {
  if (!lstatSync(path).isFile()) return false;
  const file = openSync(path, 'r');
  const start = Buffer.alloc(elfMark.length);
  readSync(file, start, 0, start.length, 0);
  closeSync(file);
  return start.equals(elfMark);
}

/** As the machine's own loader finds them. A program without libraries makes ldd fail, and says nothing about the others. */
async function libraries(programs: readonly string[]): Promise<string[]> {
  if (programs.length === 0) return [];
  const { stdout } = await run('ldd', programs, { maxBuffer: 64 * 2 ** 20 }).catch((error) => {
    if (typeof error.stdout === 'string') return error as { stdout: string };
    throw error;
  });
  const paths = [...stdout.matchAll(/(?:=> |^\t)(\/\S+) \(0x/gm)].map((match) => match[1] as string);
  return [...new Set(paths)];
}
