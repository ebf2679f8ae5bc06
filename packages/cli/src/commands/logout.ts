import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { printJson } from '../output/json.ts';
import { configPath, readConfigFile, writeConfigFile } from '../settings/config-file.ts';

export const logout = command({
  name: 'logout',
  summary: 'Remove the stored key of a context',
  about: 'The key stays valid; revoke it in the account settings if it may have been seen.',
  examples: [
    ['hortus logout', 'Removes the current context.'],
    ['hortus logout --context work', 'Removes the context work.'],
  ],
  async run({ options, json, world }) {
    const path = configPath(world);
    const { current, contexts } = await readConfigFile(path);
    const name = options.context ?? current;
    if (name === undefined || !Object.hasOwn(contexts, name)) {
      throw new Failure('missing', name === undefined ? 'You are not signed in.' : `There is no context ${name}.`);
    }
    const { [name]: forgotten, ...rest } = contexts;
    const next = name === current ? Object.keys(rest)[0] : current;
    await writeConfigFile(path, { current: next, contexts: rest });
    if (json) printJson(world.terminal, { context: name, current: next ?? null });
    else {
      world.terminal.out(`The key for ${forgotten?.url} was removed.\n`);
      if (name === current && next !== undefined) world.terminal.out(`The current context is now ${next}.\n`);
    }
    return 'ok';
  },
});
