import { type ConfigFile, configPath, readConfigFile } from './config-file.ts';
import { Failure } from './failure.ts';
import type { World } from './world.ts';

export const defaultUrl = 'http://127.0.0.1:8420/api/v1';
export const firstContext = 'default';

export type Source = 'environment' | 'context' | 'default';

/** Which service is meant and with which key, and why. */
export interface Settings {
  readonly path: string;
  readonly file: ConfigFile;
  readonly context: string | undefined;
  readonly url: string;
  readonly urlFrom: Source;
  readonly key: string | undefined;
  readonly keyFrom: Source | undefined;
}

/** The base address as published: a person may leave out the scheme and the version segment. */
export function baseUrlOf(given: string): string {
  const text = given.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw new Failure('usage', `${JSON.stringify(given)} is not an address such as https://hortus.example.org.`);
  }
  if (url.username || url.password) throw new Failure('usage', 'An address here carries no user and no password.');
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path.endsWith('/api/v1') ? path : `${path}/api/v1`}`;
}

export async function readSettings(world: World, wanted: string | undefined): Promise<Settings> {
  const path = configPath(world);
  const file = await readConfigFile(path);
  const name = wanted ?? file.current;
  const stored = name === undefined || !Object.hasOwn(file.contexts, name) ? undefined : file.contexts[name];
  if (wanted !== undefined && stored === undefined) {
    const known = Object.keys(file.contexts);
    throw new Failure('missing', `There is no context ${wanted}.`, {
      hint: known.length > 0 ? `Known are ${known.join(', ')}.` : 'hortus login makes the first one.',
    });
  }
  // A context named on the command line is a decision; the environment is a circumstance.
  const env = wanted === undefined ? world.env : {};
  const url = env.HORTUS_URL ? baseUrlOf(env.HORTUS_URL) : (stored?.url ?? defaultUrl);
  const urlFrom: Source = env.HORTUS_URL ? 'environment' : stored ? 'context' : 'default';
  const common = { path, file, context: stored === undefined ? undefined : name, url, urlFrom };
  if (env.HORTUS_KEY) return { ...common, key: env.HORTUS_KEY.trim(), keyFrom: 'environment' };
  // A stored key goes to the service it was stored for, and to no other.
  if (stored !== undefined && stored.url === url) return { ...common, key: stored.key, keyFrom: 'context' };
  return { ...common, key: undefined, keyFrom: undefined };
}
