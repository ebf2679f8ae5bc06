import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../failure.ts';
import type { World } from '../world/world.ts';

/** A service and its key. */
interface Context {
  readonly url: string;
  readonly key: string;
}

export interface ConfigFile {
  readonly current: string | undefined;
  readonly contexts: Readonly<Record<string, Context>>;
}

export function configPath({ env, home }: Pick<World, 'env' | 'home'>): string {
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'hortus', 'config.json');
}

export async function readConfigFile(path: string): Promise<ConfigFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: undefined, contexts: {} };
    throw new Failure('usage', `${path} cannot be read: ${(error as Error).message}`);
  }
  try {
    return checked(JSON.parse(text));
  } catch {
    // Never quotes the text, because it contains keys.
    throw new Failure('usage', `${path} is not a configuration of hortus.`, {
      hint: 'Move it away and sign in again with hortus login',
    });
  }
}

function checked(value: unknown): ConfigFile {
  const { current, contexts } = value as { current?: unknown; contexts: Record<string, Partial<Context>> };
  const entries = Object.entries(contexts).map(([name, { url, key }]): [string, Context] => {
    if (typeof url !== 'string' || typeof key !== 'string') throw new TypeError('a context has url and key');
    return [name, { url, key }];
  });
  return { current: typeof current === 'string' ? current : undefined, contexts: Object.fromEntries(entries) };
}

/** Writes a temporary file and renames it, so that an interrupted write keeps the old keys. */
export async function writeConfigFile(path: string, config: ConfigFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, path);
}

/** Tells whether other users can read the keys. */
export async function readableByOthers(path: string): Promise<boolean> {
  try {
    return ((await stat(path)).mode & 0o077) !== 0;
  } catch {
    return false;
  }
}
