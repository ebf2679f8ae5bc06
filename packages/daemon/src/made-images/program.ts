import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TIMEOUT_MS = 10_000;

/** A program of this machine with everything that it needs to run elsewhere: the program first, then its libraries. */
export interface Program {
  readonly path: string;
  readonly files: readonly { readonly path: string; readonly content: Buffer }[];
}

/** Lists the folders of PATH, and Debian's for a daemon that was started without one. */
export function programFolders(): string[] {
  const named = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...new Set([...named, '/usr/local/bin', '/usr/bin', '/bin'])];
}

export const placesOf = (name: string, folders: readonly string[]): string[] =>
  folders.map((folder) => join(folder, name));

/** Returns the output of a program; undefined if it cannot be run or fails. */
export async function outputOf(program: string, ...args: string[]): Promise<string | undefined> {
  // The words of ldd are translated.
  const env = { ...process.env, LC_ALL: 'C' };
  const ended = await run(program, args, { timeout: TIMEOUT_MS, env }).catch(() => undefined);
  return ended?.stdout;
}

/** Reads a program and the libraries that it is linked with; undefined if one of them is missing. */
export async function readProgram(path: string): Promise<Program | undefined> {
  // ldd fails for a static program.
  const libraries = librariesIn((await outputOf('ldd', path)) ?? '');
  if (libraries === undefined) return undefined;
  const files = [path, ...libraries].map(async (file) => ({ path: file, content: await readFile(file) }));
  return { path, files: await Promise.all(files) };
}

/** Returns the paths that ldd prints, with the loader; undefined if it did not find a library. */
export function librariesIn(listing: string): string[] | undefined {
  if (listing.includes('not found')) return undefined;
  return listing.split('\n').flatMap((line) => line.split(/\s/).find((word) => word.startsWith('/')) ?? []);
}
