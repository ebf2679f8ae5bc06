import { command } from '../command-line/command.ts';
import { unknownCommand } from '../command-line/command-line.ts';
import { everything, helpOf, helpOfGroup, overview } from '../command-line/help.ts';
import { printJson } from '../output/json.ts';

/** Word that lists every command; no command has this name. */
const EVERY = 'all';

export const help = command({
  name: 'help',
  summary: 'Explain a command',
  args: ['command?', 'word?', 'more?'],
  examples: [
    ['hortus help deploy', 'Options and examples of one command.'],
    ['hortus help instances', 'The commands of a group.'],
    ['hortus help all', 'Every command, the exit codes and the environment.'],
  ],
  async run({ args, json, world, commands }) {
    const name = [args.command, args.word, args.more].filter(Boolean).join(' ');
    const isAll = name === '' || name === EVERY;
    const rows = isAll ? commands : commands.filter((row) => row.name === name || row.name.startsWith(`${name} `));
    const [only] = rows;
    if (only === undefined) {
      throw unknownCommand(name.split(' '), commands);
    }
    if (json)
      printJson(
        world.terminal,
        rows.map(({ load: _load, ...row }) => row),
      );
    else if (isAll) world.terminal.out(name === EVERY ? everything(commands) : overview(commands));
    else {
      // A word can be both a command and a group.
      const own = only.name === name ? [helpOf(only)] : [];
      const group = rows.filter((row) => row.name !== name);
      world.terminal.out([...own, ...(group.length > 0 ? [helpOfGroup(group)] : [])].join('\n'));
    }
    return 'ok';
  },
});
