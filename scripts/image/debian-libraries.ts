import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { run } from '../agent/quiet-run.ts';
import type { Arch } from '../agent/stripped-node.ts';

const output = promisify(execFile);
const cache = join(import.meta.dirname, '../../node_modules/.cache/hortus-image');

/** Packages with the libraries that Node is linked with. */
const packages = ['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1'] as const;

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  /** Its record for dpkg, which security scanners read. */
  readonly control: string;
  /** Folder with its files. */
  readonly folder: string;
}

/**
 * Downloads the packages for an architecture and unpacks them, without installing them or changing this machine: apt works on lists
 * and an architecture of its own, but trusts the sources and keys of the machine. Unpacked packages are cached per version.
 */
export async function debianLibraries(arch: Arch): Promise<DebianPackage[]> {
  const place = join(cache, arch);
  await mkdir(join(place, 'packages'), { recursive: true });
  const workshop = await mkdtemp(join(place, '.fetching-'));
  try {
    const apt = ['apt-get', ...(await aptOptions(arch, place))] as [string, ...string[]];
    const download = (names: readonly string[]) => run([...apt, 'download', ...names], { cwd: workshop });
    try {
      await run([...apt, 'update']);
      await download(packages);
      const found = await unpackAll(workshop, place);
      // Has the licence of the other libraries of GCC; its name contains the version.
      const base = found.flatMap(({ control }) => /\bgcc-\d+-base\b/.exec(control) ?? []).slice(0, 1);
      await download(base);
    } catch (cause) {
      throw new Error(`apt-get could not download the Debian packages for ${arch}.\n${(cause as Error).message}`);
    }
    return await unpackAll(workshop, place);
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

async function aptOptions(arch: Arch, place: string): Promise<string[]> {
  for (const folder of ['state/lists/partial', 'archives/partial'])
    await mkdir(join(place, folder), { recursive: true });
  const options = {
    'APT::Architecture': arch,
    'APT::Architectures': arch,
    // Only root may change to the user of apt, who may not write here.
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Dir::State': join(place, 'state'),
    'Dir::State::status': '/dev/null',
    'Dir::Cache': place,
  };
  return ['-q', ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
}

async function unpackAll(from: string, place: string): Promise<DebianPackage[]> {
  const files = (await readdir(from)).filter((file) => file.endsWith('.deb')).sort();
  return await Promise.all(files.map((file) => unpack(join(from, file), join(place, 'packages', file))));
}

async function unpack(file: string, folder: string): Promise<DebianPackage> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    const draft = `${file}.unpacked`;
    await run(['dpkg-deb', '--extract', file, draft]);
    await run(['dpkg-deb', '--control', file, join(draft, 'DEBIAN')]);
    await rename(draft, folder).catch(async (error: NodeJS.ErrnoException) => {
      // A concurrent build was faster.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  }
  const control = await readFile(join(folder, 'DEBIAN/control'), 'utf8');
  const { stdout } = await output('dpkg-deb', ['--showformat=${Package} ${Version}', '--show', file]);
  const [name = '', version = ''] = stdout.split(' ');
  return { name, version, control, folder };
}
