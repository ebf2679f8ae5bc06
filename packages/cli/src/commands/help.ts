import { type Command, command } from '../command.ts';
import { Failure } from '../failure.ts';
import { helpOf, helpOfGroup, overview } from '../help.ts';
import { printJson } from '../output/json.ts';

/** Builds the help command from the table that contains it. */
export const helpFor = (table: () => readonly Command[]): Command =>
  command({
    name: 'help',
    summary: 'Explain a command',
    args: ['command?', 'word?', 'more?'],
    examples: [
      ['hortus help deploy', 'Options and examples of one command.'],
      ['hortus help instances', 'The commands of a group.'],
    ],
    async run({ args, json, world }) {
      const name = [args.command, args.word, args.more].filter(Boolean).join(' ');
      const all = table();
      const rows = name === '' ? all : all.filter((row) => row.name === name || row.name.startsWith(`${name} `));
      const [only] = rows;
      if (only === undefined) {
        throw new Failure('usage', `Unknown command: ${name}.`, { hint: 'hortus help lists the commands.' });
      }
      if (json)
        printJson(
          world.terminal,
          rows.map(({ run: _run, ...row }) => row),
        );
      else if (name === '') world.terminal.out(overview(all));
      else {
        // A word can be both a command and a group.
        const own = only.name === name ? [helpOf(only)] : [];
        const group = rows.filter((row) => row.name !== name);
        world.terminal.out([...own, ...(group.length > 0 ? [helpOfGroup(group)] : [])].join('\n'));
      }
      return 'ok';
    },
  });
