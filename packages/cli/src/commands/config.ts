import { command } from '../command.ts';
import { writeConfigFile } from '../config-file.ts';
import { Failure } from '../failure.ts';
import { printJson } from '../output/json.ts';
import { facts } from '../output/table.ts';
import type { Settings } from '../settings.ts';

const from = { environment: 'from the environment', context: 'from the context', default: 'by default' } as const;

export const showConfig = command({
  name: 'config',
  summary: 'Show the effective settings, without secrets',
  examples: [
    ['hortus config', 'Says which service is meant, and why.'],
    ['hortus config --context work', 'The same for another context.'],
  ],
  async run({ settings, json, world }) {
    const known = await settings();
    if (json) printJson(world.terminal, shown(known));
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
    }
    return 'ok';
  },
});

const shown = ({ path, context, url, urlFrom, key, keyFrom, file }: Settings) => ({
  url,
  url_from: urlFrom,
  key: key === undefined ? null : 'set',
  key_from: keyFrom ?? null,
  context: context ?? null,
  contexts: Object.fromEntries(Object.entries(file.contexts).map(([name, one]) => [name, { url: one.url }])),
  file: path,
});

export const useContext = command({
  name: 'config use',
  summary: 'Make another context the current one',
  args: ['context'],
  examples: [['hortus config use work', 'Every later command goes to the service of work.']],
  async run({ args, settings, json, world }) {
    const { path, file } = await settings();
    if (!Object.hasOwn(file.contexts, args.context)) {
      throw new Failure('missing', `There is no context ${args.context}.`, {
        hint: `Known are ${Object.keys(file.contexts).join(', ') || 'none'}.`,
      });
    }
    await writeConfigFile(path, { ...file, current: args.context });
    if (json) printJson(world.terminal, { current: args.context });
    else world.terminal.out(`The current context is ${args.context}: ${file.contexts[args.context]?.url}\n`);
    return 'ok';
  },
});
