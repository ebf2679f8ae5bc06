import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, lstat, lutimes, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { run } from '../../agent/quiet-run.ts';
import type { Arch } from '../../agent/stripped-node.ts';
import { conffiles, controlFile } from './control.ts';
import { makeTree } from './tree.ts';

const files = join(import.meta.dirname, 'files');
const scripts = ['postinst', 'prerm', 'postrm'];

export interface PackOptions {
  readonly arch: Arch;
  readonly version: string;
  /** Time of all files in the package, so that every build gives the same bytes. */
  readonly date: Date;
  readonly output: string;
  /** none is for tests, because xz takes minutes. */
  readonly compression?: 'xz' | 'none';
}

/** Builds the Debian package with the daemons of a folder. */
export async function buildDebianPackage(wanted: PackOptions & { readonly daemonsFrom: string }): Promise<number> {
  const parent = dirname(wanted.output);
  await mkdir(parent, { recursive: true });
  const workshop = await mkdtemp(join(parent, '.building-'));
  try {
    await makeTree(workshop, wanted);
    return await packTree(workshop, wanted);
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/** Packs the tree of `makeTree`, writes the output atomically and returns its size. */
export async function packTree(tree: string, wanted: PackOptions): Promise<number> {
  const { arch, version, date, output, compression = 'xz' } = wanted;
  const control = join(tree, 'DEBIAN');
  await rm(control, { recursive: true, force: true });
  const installed = await listFiles(tree);
  await mkdir(control);
  for (const name of scripts) {
    await copyFile(join(files, name), join(control, name));
    await chmod(join(control, name), 0o755);
  }
  await copyFile(join(files, 'templates'), join(control, 'templates'));
  const installedSize = Math.ceil(installed.reduce((sum, { size }) => sum + size, 0) / 1024);
  await writeFile(join(control, 'control'), controlFile({ version, arch, installedSize }));
  await writeFile(join(control, 'conffiles'), conffiles);
  await writeFile(join(control, 'md5sums'), await checksums(tree, installed));
  await settle(tree, date);
  // The number of threads changes the bytes of xz, so it is fixed.
  const how = compression === 'xz' ? ['-Zxz', '-z6', '--threads-max=2'] : ['-Znone'];
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(date.getTime() / 1000) };
  const draft = `${output}.draft`;
  await run(['dpkg-deb', '--root-owner-group', ...how, '--build', tree, draft], { env });
  await rename(draft, output);
  return (await lstat(output)).size;
}

interface Installed {
  readonly path: string;
  readonly size: number;
  readonly isFile: boolean;
}

async function listFiles(tree: string): Promise<Installed[]> {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  const found = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return { path, size: (await lstat(path)).size, isFile: entry.isFile() };
  });
  return (await Promise.all(found)).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Lists the checksums that dpkg --verify compares. Configuration files are not in it. */
async function checksums(tree: string, installed: readonly Installed[]): Promise<string> {
  const lines = installed
    .filter(({ path, isFile }) => isFile && !relative(tree, path).startsWith('etc/'))
    .map(async ({ path }) => {
      const hash = createHash('md5');
      for await (const piece of createReadStream(path)) hash.update(piece);
      return `${hash.digest('hex')}  ${relative(tree, path)}\n`;
    });
  return (await Promise.all(lines)).join('');
}

/** Sets modes and times that do not depend on the machine of the build. */
async function settle(tree: string, date: Date): Promise<void> {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  const paths = [tree, ...entries.map((entry) => join(entry.parentPath, entry.name))];
  for (const path of paths) {
    const stats = await lstat(path);
    const isProgram = stats.isFile() && (stats.mode & 0o100) !== 0;
    if (!stats.isSymbolicLink()) await chmod(path, stats.isDirectory() || isProgram ? 0o755 : 0o644);
    await lutimes(path, date, date);
  }
}
