import type { Client } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import type { Setting } from '@hortus/contract/resources/settings';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import { facts } from '../output/table.ts';
import { writeConfigFile } from '../settings/config-file.ts';
import type { Settings } from '../settings/settings.ts';
import type { Terminal } from '../world/terminal.ts';

const from = { environment: 'from the environment', context: 'from the context', default: 'by default' } as const;

export const showConfig = command({
  name: 'config',
  summary: 'Show the effective settings of the CLI and the service, without secrets',
  examples: [
    ['hortus config', 'Shows which service is used and where that setting comes from.'],
    ['hortus config --context work', 'The same for another context.'],
  ],
  async run({ settings, client, json, world }) {
    const known = await settings();
    const service = known.key === undefined ? 'you are not signed in' : await serviceSettings(await client());
    if (json) printJson(world.terminal, { ...shown(known), service: typeof service === 'string' ? null : service });
    else {
      const { path, context, url, urlFrom, key, keyFrom, file } = known;
      const others = Object.keys(file.contexts).filter((name) => name !== context);
      world.terminal.out(
        facts(world.terminal, [
          ['Service', `${url} (${from[urlFrom]})`],
          ['Key', key === undefined || keyFrom === undefined ? 'none' : `set (${from[keyFrom]})`],
          ['Context', context ?? 'none'],
          ['Other contexts', others.join(', ')],
          ['File', path],
        ]),
      );
      world.terminal.out(`\n${settingsText(world.terminal, service)}`);
    }
    return 'ok';
  },
});

/** Reads the settings of the service. Returns the reason if they cannot be read, because the command still succeeds. */
async function serviceSettings(client: Client): Promise<readonly Setting[] | string> {
  try {
    return (await client.call('settings.list', { query: { per_page: 100 } })).data;
  } catch (error) {
    if (error instanceof ApiProblem) return error.status === 403 ? 'this needs the permission admin' : error.message;
    throw error;
  }
}

const settingsText = (terminal: Terminal, service: readonly Setting[] | string): string =>
  typeof service === 'string'
    ? `The settings of the service are not shown: ${safeLine(service.replace(/\.$/, ''))}.\n`
    : facts(
        terminal,
        service.map(({ name, value }) => [name, value]),
      );

const shown = ({ path, context, url, urlFrom, key, keyFrom, file }: Settings) => ({
  url,
  url_from: urlFrom,
  key: key === undefined ? null : 'set',
  key_from: keyFrom ?? null,
  context: context ?? null,
  contexts: Object.fromEntries(Object.entries(file.contexts).map(([name, context]) => [name, { url: context.url }])),
  file: path,
});

export const useContext = command({
  name: 'config use',
  summary: 'Switch to another context',
  args: ['context'],
  examples: [['hortus config use work', 'Later commands use the service of the context work.']],
  async run({ args, settings, json, world }) {
    const { path, file } = await settings();
    if (!Object.hasOwn(file.contexts, args.context)) {
      throw new Failure('missing', `There is no context ${args.context}.`, {
        hint: `Known contexts: ${Object.keys(file.contexts).join(', ') || 'none'}.`,
      });
    }
    await writeConfigFile(path, { ...file, current: args.context });
    if (json) printJson(world.terminal, { current: args.context });
    else world.terminal.out(`The current context is ${args.context}: ${file.contexts[args.context]?.url}\n`);
    return 'ok';
  },
});
