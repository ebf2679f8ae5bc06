import { chosen } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { type Candidate, candidatesOf } from '../completion/candidates.ts';
import { namesFor } from '../completion/names.ts';
import { shellScripts } from '../completion/shells.ts';
import { safeLine } from '../output/safe-text.ts';
import { readSettings } from '../settings/settings.ts';

const shells = Object.keys(shellScripts) as (keyof typeof shellScripts)[];

/** One line for each candidate, as the script of the shell reads it. */
const lineFor = {
  bash: ({ word }: Candidate) => word,
  // A colon separates the description.
  zsh: ({ word, about }: Candidate) => `${word.replaceAll(':', '\\:')}${about ? `:${safeLine(about)}` : ''}`,
  fish: ({ word, about }: Candidate) => `${word}${about ? `\t${safeLine(about)}` : ''}`,
};

export const completion = command({
  name: 'completion',
  summary: 'Print the completion script for bash, zsh or fish',
  about:
    'Completes commands, options, and the names of instances, servers, species, definitions, gardens and tenants.\nThe script calls it again with the words of the command line after --.',
  args: ['shell'],
  rest: 'words',
  examples: [
    ['hortus completion bash > ~/.local/share/bash-completion/completions/hortus', 'For every new bash.'],
    ['hortus completion zsh > /usr/local/share/zsh/site-functions/_hortus', 'For every new zsh.'],
    ['hortus completion fish > ~/.config/fish/completions/hortus.fish', 'For every new fish.'],
  ],
  calls: [
    'instances.list',
    'definitions.list',
    'servers.list',
    'templates.list',
    'tenants.list',
    'upgrades.list',
    'gardens.list',
  ],
  async run({ args, rest, world, commands }) {
    const shell = chosen('shell', args.shell, shells, 'The shell') as (typeof shells)[number];
    if (rest.length === 0) world.terminal.out(shellScripts[shell]);
    else {
      // The context of the line that is completed.
      const at = rest.indexOf('--context');
      const settings = () => readSettings(world, at === -1 ? undefined : rest[at + 1]);
      const found = await candidatesOf(commands, rest, namesFor(settings));
      world.terminal.out(found.map((candidate) => `${lineFor[shell](candidate)}\n`).join(''));
    }
    return 'ok';
  },
});
