import type { GardenSourceUpdate } from '@hortus/contract/resources/garden-sources';
import { command } from '../command-line/command.ts';
import { printDone } from '../command-line/printing.ts';
import { Failure } from '../failure.ts';
import { readToken, sourceFields, sourceOptions, TOKEN_VARIABLE } from '../gardens/source-options.ts';
import { webhookText } from '../gardens/webhook-words.ts';
import { findFollowed } from '../lookup/gardens.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';

const effects = {
  propose: 'Each commit waits for an approval: hortus gardens approve',
  apply: 'Each commit is applied at once.',
} as const;

export const gardensFollow = command({
  name: 'gardens follow',
  summary: 'Let the service follow a garden in a Git repository',
  about: `The service reads the repository over http or https, plans each commit, and reports its state to the forge.
Asks for an access token, or reads it from a file or from ${TOKEN_VARIABLE}; it is never an argument. The address and the
secret for the webhook of the forge are printed once.`,
  args: ['url'],
  options: {
    ...sourceOptions,
    name: { type: 'string', value: 'name', about: 'Name of the garden; by default the last part of the address.' },
    prune: { type: 'boolean', about: 'Also archive or remove what this garden made and what left the file.' },
  },
  examples: [
    ['hortus gardens follow https://git.example.org/ada/home.git', 'Asks for the token; commits wait for an approval.'],
    [
      'hortus gardens follow https://github.com/ada/home --mode apply --prune --token-file token.txt',
      'Applies each commit of the branch main at once.',
    ],
  ],
  calls: ['gardens.follow'],
  async run({ args: { url }, options, json, client, world }) {
    const { terminal } = world;
    const { mode = 'propose', ...fields } = sourceFields(options);
    const service = await client();
    const credentials = await readToken(world, url, { file: options['token-file'], username: options.username });
    const body = {
      url,
      mode,
      ...fields,
      ...(options.name !== undefined && { name: options.name }),
      ...(options.prune && { prune: true }),
      ...(credentials && { credentials }),
    };
    const { data } = await service.call('gardens.follow', { body });
    if (json) printJson(terminal, data);
    else {
      const { name, source, webhook } = data;
      terminal.out(
        `${name} follows ${safeLine(source?.branch ?? '')} of ${safeLine(source?.url ?? url)}. ${effects[mode]}\n`,
      );
      if (source) terminal.out(`\n${webhookText(terminal, source, webhook)}`);
    }
    return 'ok';
  },
});

export const gardensEdit = command({
  name: 'gardens edit',
  summary: 'Change the repository that a garden follows, or how',
  about: 'What is not given stays. From then on commits are applied with your permissions.',
  args: ['garden'],
  options: {
    url: { type: 'string', value: 'url', about: 'Another address of the repository.' },
    ...sourceOptions,
    prune: { type: 'boolean', about: 'From now on archive or remove what left the file.' },
    'no-prune': { type: 'boolean', about: 'Keep what left the file.' },
    'new-token': { type: 'boolean', about: `Replace the access token: by ${TOKEN_VARIABLE}, or asked for.` },
    'no-token': { type: 'boolean', about: 'Forget the access token.' },
    'rotate-secret': { type: 'boolean', about: 'Create a new secret for the webhook; the old one ends at once.' },
  },
  examples: [
    ['hortus gardens edit home --mode apply', 'Commits are applied without an approval.'],
    ['hortus gardens edit home --rotate-secret', 'Prints the new secret once.'],
    ['hortus gardens edit home --token-file token.txt', 'Replaces the access token.'],
  ],
  calls: ['gardens.list', 'gardens.update'],
  async run({ args, options, json, client, world }) {
    const service = await client();
    const { id, name, source } = await findFollowed(service, args.garden);
    const { prune, 'no-prune': keep, 'new-token': newToken, 'no-token': noToken } = options;
    refuseBoth(prune, keep, '--prune and --no-prune');
    const replaced = newToken || options['token-file'] !== undefined;
    refuseBoth(replaced, noToken, 'A new token and --no-token');
    const credentials = replaced
      ? await readToken(world, options.url ?? source.url, { file: options['token-file'], username: options.username })
      : undefined;
    if (newToken && credentials === undefined) throw new Failure('usage', 'No access token was given.');
    if (options.username !== undefined && !replaced)
      throw new Failure('usage', '--username is stored with a token; add --new-token or --token-file.');
    const body: GardenSourceUpdate = {
      ...(options.url !== undefined && { url: options.url }),
      ...sourceFields(options),
      ...((prune || keep) && { prune }),
      ...(credentials && { credentials }),
      ...(noToken && { credentials: null }),
      ...(options['rotate-secret'] && { rotate_secret: true }),
    };
    if (Object.keys(body).length === 0)
      throw new Failure('usage', 'Nothing to change.', { hint: 'hortus help gardens edit lists the options.' });
    const { data } = await service.call('gardens.update', { params: { id }, body });
    printDone({ json, world }, data, `${name} is changed.`);
    if (!json && data.webhook && data.source)
      world.terminal.out(`\n${webhookText(world.terminal, data.source, data.webhook)}`);
    return 'ok';
  },
});

function refuseBoth(garden: boolean, other: boolean, what: string): void {
  if (garden && other) throw new Failure('usage', `${what} exclude each other.`);
}
