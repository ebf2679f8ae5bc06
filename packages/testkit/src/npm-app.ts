import { execFile } from 'node:child_process';
import { constants, globSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder } from './test-cache.ts';

const run = promisify(execFile);

/** An application from npm, of the version that the image's tag names. */
export interface NpmApp {
  readonly name: string;
  /** Folder in the image that gets `node_modules`. */
  readonly folder: string;
  /** Further packages, such as npm itself. */
  readonly beside?: readonly string[];
}

/** Libraries of Node, as packages of this machine. */
export const nodeLibraries = ['libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6'];

/**
 * Installs the application and this process's Node below a cached root and lists their files. Runs no install scripts: they
 * would run outside of any container.
 */
export async function npmFiles({ name, folder, beside = [] }: NpmApp, version: string | undefined) {
  if (version === undefined || version === 'unknown')
    throw new Error(`The tag of an image of ${name} must begin with its version`);
  const place = `npm-${name}-${version}-node-${process.versions.node}-${process.arch}`;
  const root = await cachedFolder(place, async (draft) => {
    const programs = join(draft, 'usr/local/bin');
    await mkdir(programs, { recursive: true });
    await copyFile(process.execPath, join(programs, 'node'), constants.COPYFILE_FICLONE);
    const prefix = join(draft, folder);
    await mkdir(prefix, { recursive: true });
    const options = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--no-update-notifier'];
    await run('npm', ['install', `--prefix=${prefix}`, ...options, `${name}@${version}`, ...beside], {
      cwd: prefix,
      env: { ...process.env, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) },
      maxBuffer: 16 * 2 ** 20,
    });
  });
  return { root, paths: globSync('**', { cwd: root, exclude: isNotRun }).map((path) => `/${path}`) };
}

/** Source maps and declarations, nearly half of the files. */
const isNotRun = (path: string) => /\.(map|[cm]?ts|flow)$/.test(path);
