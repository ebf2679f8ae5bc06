import { execFile } from 'node:child_process';
import { closeSync, existsSync, globSync, lstatSync, openSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Files that programs do not need at run time; PostgreSQL's compiler alone would add a hundred megabytes of libraries.
 */
export const unneeded = [
  /^\/usr\/share\/(doc|doc-base|man|info|locale|lintian|bug|apport|bash-completion)\//,
  /^\/usr\/lib\/postgresql\/[^/]+\/lib\/(bitcode\/|llvmjit)/,
  /^\/(etc|usr\/lib|lib)\/(init\.d|systemd|logrotate\.d|cron\.[a-z]+|apparmor\.d)\//,
];

export type Wanted = {
  /** Debian packages whose files are copied; `*` matches installed packages, such as a version. */
  packages: readonly string[];
  /** Single programs of other packages. */
  programs?: readonly string[];
  /** Files created during installation, which no package lists; `*` is allowed. */
  also?: readonly string[];
};

/**
 * Lists the files of this machine that programs need: those of their packages and their linked libraries. Paths are
 * absolute and real, so that they also work where /bin and /lib are links to /usr.
 */
export async function debianFiles({ packages, programs = [], also = [] }: Wanted): Promise<string[]> {
  const { stdout: listed } =
    packages.length === 0 ? { stdout: '' } : await run('dpkg', ['-L', ...(await installed(packages))]);
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
  const path = ['/usr/bin', '/usr/sbin'].map((folder) => join(folder, name)).find((text) => existsSync(text));
  if (path === undefined) throw new Error(`${name} is not installed; npm test installs it`);
  return path;
}

/** Resolves the folder but keeps the file name, which may be a link that programs use. */
function realPlace(path: string): string {
  return join(realpathSync(dirname(path)), basename(path));
}

/** Adds the targets of a link, through any number of links. */
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

/** Runs ldd. It fails for a program without libraries, but still lists those of the others. */
async function libraries(programs: readonly string[]): Promise<string[]> {
  if (programs.length === 0) return [];
  const { stdout } = await run('ldd', programs, { maxBuffer: 64 * 2 ** 20 }).catch((error) => {
    if (typeof error.stdout === 'string') return error as { stdout: string };
    throw error;
  });
  const paths = [...stdout.matchAll(/(?:=> |^\t)(\/\S+) \(0x/gm)].map((match) => match[1] as string);
  return [...new Set(paths)];
}
