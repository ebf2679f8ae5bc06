import { createClient } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import { contentOf } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { Failure, failureOf } from '../failure.ts';
import { printJson } from '../output/json.ts';
import { configPath, readConfigFile, writeConfigFile } from '../settings/config-file.ts';
import { baseUrlOf, defaultUrl, firstContext } from '../settings/settings.ts';
import type { World } from '../world/world.ts';

export const login = command({
  name: 'login',
  summary: 'Sign in to a service and store the key',
  about:
    'Asks for the address and the key, or reads the key from a pipe. The key is never an argument, because every user of the\nmachine can see arguments. It is stored in ~/.config/hortus/config.json, readable only by you.',
  options: {
    url: { type: 'string', value: 'address', about: 'Address of the service, such as https://hortus.example.org.' },
    'key-file': { type: 'string', value: 'path', about: 'Read the key from a file; - reads standard input.' },
  },
  examples: [
    ['hortus login', 'Asks for address and key.'],
    [
      'hortus login --url https://hortus.example.org --context work < key.txt',
      'Stores a second service as the context work.',
    ],
  ],
  calls: ['account.read'],
  async run({ options, json, world }) {
    const { terminal } = world;
    const context = options.context ?? firstContext;
    const url = baseUrlOf(options.url ?? (await askedUrl(world)));
    if (isExposed(url)) terminal.note('The address does not use https: others on the network can read the key.\n');
    const key = await readKey(world, options['key-file']);
    const session = await whoIs(url, key);
    const path = configPath(world);
    const file = await readConfigFile(path);
    await writeConfigFile(path, { current: context, contexts: { ...file.contexts, [context]: { url, key } } });
    if (json) printJson(terminal, session);
    else terminal.out(`Signed in to ${url} as ${session.user?.email ?? 'a key'} of ${session.account.name}.\n`);
    for (const name of ['HORTUS_URL', 'HORTUS_KEY'] as const) {
      if (world.env[name]) terminal.note(`${name} is set and overrides the stored value.\n`);
    }
    return 'ok';
  },
});

async function askedUrl({ terminal, env }: World): Promise<string> {
  const proposed = env.HORTUS_URL ?? defaultUrl.replace('/api/v1', '');
  if (!terminal.interactive) return proposed;
  return (await terminal.ask(`Address of the service [${proposed}]: `)).trim() || proposed;
}

async function readKey({ terminal }: World, file: string | undefined): Promise<string> {
  const text =
    file !== undefined && file !== '-'
      ? await contentOf(file)
      : terminal.interactive && file === undefined
        ? await terminal.ask('API key (not shown): ', { hidden: true })
        : await terminal.readInput();
  const key = text.trim();
  if (key === '')
    throw new Failure('usage', 'No key was given.', { hint: 'Pipe it in, or name a file with --key-file.' });
  // Headers allow nothing else, and a file given by mistake must not be sent.
  if (!/^[\x21-\x7e]{1,256}$/.test(key))
    throw new Failure('usage', 'This is not a key: it contains spaces or several lines.');
  if (key.startsWith('hs_')) {
    throw new Failure('usage', 'This is the key of a server. Sign in with an API key, hk_…');
  }
  return key;
}

async function whoIs(url: string, key: string) {
  try {
    return (await createClient({ baseUrl: url, key }).call('account.read')).data;
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'UNAUTHORIZED') {
      throw new Failure('forbidden', `${url} does not accept this key. Nothing was stored.`, { problem: error });
    }
    throw failureOf(error, url) ?? error;
  }
}

function isExposed(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
