import { existsSync } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { type Arch, strippedNode } from '../agent/stripped-node.ts';
import { type DebianPackage, debianLibraries } from './debian-libraries.ts';
import { elfMachines, readElf } from './elf-file.ts';
import type { Entry } from './tar.ts';

/** Number of the user and the group of the service; a number, so that orchestrators can verify that it is not root. */
export const USER = 8420;
/** Folder of the embedded database and of generated keys. */
export const DATA_FOLDER = '/var/lib/hortus';
/** Folder for files that containers share; a new volume takes over its owner. */
const SHARED_FOLDER = '/run/hortus';
export const NODE = '/usr/bin/node';

const triplets: Record<Arch, string> = { amd64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

export interface BaseFiles {
  readonly entries: readonly Entry[];
  readonly notes: readonly string[];
}

/**
 * Lists the files below the service: Node, the libraries that it is linked with, and a user. There is no shell and no other program.
 * Certificates and time zones are missing on purpose: Node contains its own.
 */
export async function baseFiles(arch: Arch): Promise<BaseFiles> {
  const [node, packages] = [await strippedNode(arch), await debianLibraries(arch)];
  const program = await fileEntry(NODE, node.path, 0o755);
  const files: Entry[] = [
    program,
    ...(await libraries(arch, node.path, packages)),
    ...(await Promise.all(packages.map(recordsOf))).flat(),
    ...(await nodeLicense()),
    text(
      'etc/passwd',
      `root:x:0:0:root:/:/sbin/nologin\nhortus:x:${USER}:${USER}:Hortus:${DATA_FOLDER}:/sbin/nologin\n`,
    ),
    text('etc/group', `root:x:0:\nhortus:x:${USER}:\n`),
    text('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    text('etc/os-release', await osRelease()),
  ];
  const special: Entry[] = [
    { path: 'tmp', kind: 'folder', mode: 0o1777 },
    { path: DATA_FOLDER.slice(1), kind: 'folder', mode: 0o700, owner: USER },
    { path: SHARED_FOLDER.slice(1), kind: 'folder', mode: 0o755, owner: USER },
    ...['dev', 'proc', 'sys'].map((path): Entry => ({ path, kind: 'folder' })),
  ];
  return { entries: withFolders([...files, ...special]), notes: node.notes };
}

/** Finds all libraries that a program needs, directly or through others, in the packages. */
async function libraries(arch: Arch, program: string, packages: readonly DebianPackage[]): Promise<Entry[]> {
  const places = await placesOf(packages);
  const found = new Map<string, Entry>();
  const visit = async (path: string, from: string): Promise<void> => {
    const { machine, interpreter, needed } = await readElf(path);
    if (machine !== elfMachines[arch]) throw new Error(`${from} is not for ${arch}.`);
    // Programs name the loader by its whole path, libraries by its name.
    for (const wanted of [...(interpreter ? [interpreter] : []), ...needed]) {
      const name = basename(wanted);
      if (found.has(name)) continue;
      const place = places.get(name);
      if (place === undefined) throw new Error(`${from} needs ${name}, which no package for ${arch} contains.`);
      const at = wanted === interpreter ? wanted : join('/lib', triplets[arch], name);
      found.set(name, await fileEntry(at, place, wanted === interpreter ? 0o755 : 0o644));
      await visit(place, name);
    }
  };
  await visit(program, 'Node');
  return [...found.values()];
}

async function placesOf(packages: readonly DebianPackage[]): Promise<Map<string, string>> {
  const places = new Map<string, string>();
  for (const { folder } of packages) {
    const names = (await readdir(folder, { recursive: true })).filter((name) => /\/lib\w*\/.*\.so\b/.test(`/${name}`));
    // Paths with fewer folders first: some packages have variants for single processors further below.
    for (const name of names.sort((a, b) => a.split('/').length - b.split('/').length)) {
      const path = join(folder, name);
      if (!places.has(basename(name)) && existsSync(path)) places.set(basename(name), await realpath(path));
    }
  }
  return places;
}

/** A package is recorded for security scanners, and keeps its licence. */
async function recordsOf({ name, control, folder }: DebianPackage): Promise<Entry[]> {
  const license = join(folder, 'usr/share/doc', name, 'copyright');
  return [
    text(`var/lib/dpkg/status.d/${name}`, control),
    ...(existsSync(license) ? [await fileEntry(`/usr/share/doc/${name}/copyright`, license)] : []),
  ];
}

/** The package of npm for this machine has the licence of Node, which is the same for all processors. */
async function nodeLicense(): Promise<Entry[]> {
  const packages = join(dirname(process.execPath), '../node_modules');
  const names = await readdir(packages).catch(() => []);
  const license = names.map((name) => join(packages, name, 'LICENSE')).find((path) => /node-linux-/.test(path));
  return license && existsSync(license) ? [await fileEntry('/usr/share/doc/node/LICENSE', license)] : [];
}

/** Scanners look here for the distribution that the packages belong to. */
async function osRelease(): Promise<string> {
  const { ID = 'debian', VERSION_ID } = parseEnv(await readFile('/etc/os-release', 'utf8'));
  return `NAME="Hortus"\nID=${ID}\n${VERSION_ID ? `VERSION_ID="${VERSION_ID}"\n` : ''}`;
}

const text = (path: string, content: string): Entry => ({ path, kind: 'file', from: Buffer.from(content) });

async function fileEntry(path: string, file: string, mode = 0o644): Promise<Entry> {
  return { path: path.slice(1), kind: 'file', mode, from: { file, size: (await stat(file)).size } };
}

/** Adds the folders that the entries are in. */
export function withFolders(entries: readonly Entry[]): Entry[] {
  const known = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
      if (!known.has(folder)) known.set(folder, { path: folder, kind: 'folder' });
  }
  return [...known.values()];
}
