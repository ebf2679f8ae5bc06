import { createHash } from 'node:crypto';
import { copyFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { agentArchs, agentFileName, signatureFileName } from '@hortus/contract/releases/agent-file';
import { VERSION } from '@hortus/contract/releases/version';
import { buildConsole } from '../console.mjs';
import { bundleService, SERVICE_FOLDER } from './service-bundle.ts';

const root = join(import.meta.dirname, '../..');

/** Program of the service in a release, run by Node. */
export const SERVICE_PROGRAM = `${SERVICE_FOLDER}/main.mjs`;

export interface Release {
  readonly version: string;
  /** Names of the daemon binaries in the release; none if `npm run build:daemon` did not run before. */
  readonly daemons: readonly string[];
}

export interface ReleaseOptions {
  /** Folder with the binaries of `npm run build:daemon`. */
  readonly daemonsFrom?: string;
}

/**
 * Writes into an empty folder all that the service needs to run: `node <folder>/service/main.mjs`. The folder may be moved and
 * read-only. The files stand below it as in the repository, because the service looks for them there.
 */
export async function makeReleaseFolder(
  folder: string,
  { daemonsFrom = join(root, 'dist') }: ReleaseOptions = {},
): Promise<Release> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty; name a new folder for the release.`);
  if (!(await buildConsole())) throw new Error('A release needs the console, which was not built.');
  await bundleService(folder);
  await markBuild(join(folder, SERVICE_FOLDER));
  await cp(join(root, 'dist/console'), join(folder, 'dist/console'), {
    recursive: true,
    filter: (path) => !path.endsWith('/sources.sha256'),
  });
  await cp(join(root, 'catalog'), join(folder, 'catalog'), { recursive: true });
  for (const path of ['LICENSE', ...(await documentation())]) await add(path, folder);
  return { version: VERSION, daemons: await addDaemons(daemonsFrom, folder) };
}

/**
 * Writes a file that is named by the content of the others. The service keeps a prepared catalog as long as names, sizes and times of
 * its code stay the same, and packages set all times alike.
 */
async function markBuild(bundle: string): Promise<void> {
  const hash = createHash('sha256');
  for (const name of (await readdir(bundle)).sort()) hash.update(name).update(await readFile(join(bundle, name)));
  await writeFile(join(bundle, `build-${hash.digest('hex').slice(0, 16)}`), '');
}

/** Pages that the assistant of the service reads. */
async function documentation(): Promise<string[]> {
  const folders = ['docs', 'docs/decisions'].map(async (folder) =>
    (await readdir(join(root, folder))).filter((name) => name.endsWith('.md')).map((name) => join(folder, name)),
  );
  return ['README.md', ...(await Promise.all(folders)).flat()];
}

async function addDaemons(from: string, folder: string): Promise<string[]> {
  const found = new Set(await readdir(from).catch(() => []));
  const daemons = agentArchs.map((arch) => agentFileName({ os: 'linux', arch })).filter((name) => found.has(name));
  for (const name of daemons.flatMap((daemon) => [daemon, signatureFileName(daemon)]))
    if (found.has(name)) await copyFile(join(from, name), join(folder, 'dist', name));
  return daemons;
}

async function add(path: string, folder: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await copyFile(join(root, path), join(folder, path));
}
