import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import { Failure } from '../failure.ts';
import type { World } from '../world/world.ts';
import { type ConfigFile, configPath, readConfigFile } from './config-file.ts';

export const defaultUrl = 'http://127.0.0.1:8420/api/v1';
export const firstContext = 'default';

type Source = 'environment' | 'context' | 'default';

/** The selected service and key, and the source of each. */
export interface Settings {
  readonly path: string;
  readonly file: ConfigFile;
  readonly context: string | undefined;
  readonly url: string;
  readonly urlFrom: Source;
  readonly key: string | undefined;
  readonly keyFrom: Source | undefined;
}

/** Normalizes the base address; scheme and version segment are optional. */
export function baseUrlOf(input: string): string {
  const text = input.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw new Failure('usage', `${JSON.stringify(input)} is not a valid address, such as https://hortus.example.org.`);
  }
  if (url.username || url.password) throw new Failure('usage', 'The address must not contain a user or password.');
  const path = withoutTrailing(url.pathname, '/');
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
      hint: known.length > 0 ? `Known contexts: ${known.join(', ')}.` : 'Create one with hortus login',
    });
  }
  // A context named on the command line overrides the environment.
  const env = wanted === undefined ? world.env : {};
  const url = env.HORTUS_URL ? baseUrlOf(env.HORTUS_URL) : (stored?.url ?? defaultUrl);
  const urlFrom: Source = env.HORTUS_URL ? 'environment' : stored ? 'context' : 'default';
  const common = { path, file, context: stored === undefined ? undefined : name, url, urlFrom };
  if (env.HORTUS_KEY) return { ...common, key: env.HORTUS_KEY.trim(), keyFrom: 'environment' };
  // Sends a stored key only to the service it was stored for.
  if (stored !== undefined && stored.url === url) return { ...common, key: stored.key, keyFrom: 'context' };
  return { ...common, key: undefined, keyFrom: undefined };
}
