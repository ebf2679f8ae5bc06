import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { takeTurn } from './turn.ts';

/** Folder in the user's cache for downloads and installations that outlive a test run. */
const testCache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hortus-test');

/** Time to fill a folder for the first time on a busy machine: it takes about three minutes on an idle one. */
export const FIRST_FILL_MS = 20 * 60_000;

/** Returns a cached folder; fills it first if it is missing, once per machine. A failed attempt leaves nothing. */
export async function cachedFolder(name: string, fill: (draft: string) => Promise<void>): Promise<string> {
  const folder = join(testCache, name);
  if (existsSync(folder)) return folder;
  await using _turn = await takeTurn(`cache-${name}`, FIRST_FILL_MS);
  if (existsSync(folder)) return folder;
  const draft = join(testCache, `${name}.draft`);
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  await fill(draft);
  await rename(draft, folder);
  return folder;
}
