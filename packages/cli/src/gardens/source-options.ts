import { forges, gardenModes } from '@hortus/contract/resources/garden-source-records';
import { chosen, readSecret } from '../arguments/value-options.ts';
import { Failure } from '../failure.ts';
import { durationOf } from '../output/words.ts';
import type { World } from '../world/world.ts';

/** The variable that a pipeline gives the token in. */
export const TOKEN_VARIABLE = 'HORTUS_GIT_TOKEN';

export const sourceOptions = {
  branch: { type: 'string', value: 'branch', about: 'Branch to follow; main by default.' },
  path: { type: 'string', value: 'path', about: 'The file in the repository; garden.yaml by default.' },
  mode: {
    type: 'string',
    value: 'mode',
    about: 'propose: each commit waits for an approval. apply: it is applied at once, with your permissions.',
  },
  provider: {
    type: 'string',
    value: 'forge',
    about: `Kind of the forge: ${forges.join(', ')}. By default guessed from the host.`,
  },
  interval: {
    type: 'string',
    value: 'time',
    about: 'Time between two looks at the repository, from 1m to 24h; 5m by default.',
  },
  username: { type: 'string', value: 'name', about: 'User name beside the token; most forges need none.' },
  'token-file': { type: 'string', value: 'path', about: 'Read the access token from a file; - reads standard input.' },
} as const;

interface InputOptions {
  readonly branch: string | undefined;
  readonly path: string | undefined;
  readonly mode: string | undefined;
  readonly provider: string | undefined;
  readonly interval: string | undefined;
}

/** Converts the options to the fields of the request; those that are not given are left out. */
export function sourceFields({ branch, path, mode, provider, interval }: InputOptions) {
  const chosenMode = chosen('mode', mode, gardenModes);
  const chosenForge = chosen('provider', provider, forges);
  return {
    ...(branch !== undefined && { branch }),
    ...(path !== undefined && { path }),
    ...(chosenMode !== undefined && { mode: chosenMode }),
    ...(chosenForge !== undefined && { provider: chosenForge }),
    ...(interval !== undefined && { interval: secondsOf(interval) }),
  };
}

function secondsOf(interval: string): number {
  const ms = durationOf(interval);
  if (ms === undefined) throw new Failure('usage', '--interval is a time such as 90s, 10m or 1h.');
  return Math.round(ms / 1000);
}

/**
 * Reads the token of a repository: from a file, the environment, or asked without echo; never an argument. Undefined for
 * a public repository.
 */
export async function readToken(
  world: World,
  url: string,
  input: { readonly file: string | undefined; readonly username: string | undefined },
): Promise<{ token: string; username?: string } | undefined> {
  const { file, username } = input;
  const token = (await tokenOf(world, url, file)).replace(/\r?\n$/, '');
  if (token !== '') return { token, ...(username !== undefined && { username }) };
  if (username === undefined) return undefined;
  throw new Failure('usage', '--username needs a token.', {
    hint: `Use --token-file, or set ${TOKEN_VARIABLE}.`,
  });
}

async function tokenOf(world: World, url: string, file: string | undefined): Promise<string> {
  if (file !== undefined) return await readSecret(world, 'access token', file);
  const { [TOKEN_VARIABLE]: variable } = world.env;
  if (variable !== undefined) return variable;
  if (!world.terminal.interactive) return '';
  const host = URL.parse(url)?.host ?? 'the repository';
  return await world.terminal.ask(`Access token for ${host}, empty if it is public (not shown): `, { hidden: true });
}
