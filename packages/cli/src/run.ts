import type { Client } from '@hortus/client/client';
import type { Call, ListedCommand } from './command-line/command.ts';
import { findCommand, readCommandLine } from './command-line/command-line.ts';
import { helpOf, overview } from './command-line/help.ts';
import { loadCommand } from './command-line/loading.ts';
import { table as ownTable } from './commands/table.ts';
import { exitCodes } from './exit-codes.ts';
import { Failure, failureOf } from './failure.ts';
import { formatOf } from './output/format.ts';
import { jsonFormat } from './output/json.ts';
import { safeText } from './output/safe-text.ts';
import { readSettings, type Settings } from './settings/settings.ts';
import type { World } from './world/world.ts';

/** Common first attempts of new users. */
const spokenToo: Readonly<Record<string, readonly string[]>> = {
  '--help': ['help'],
  '-h': ['help'],
  '--version': ['version'],
  '-v': ['version'],
};

/** Runs a command line and returns the exit code. */
export async function run(
  argv: readonly string[],
  input: World,
  table: readonly ListedCommand[] = ownTable,
): Promise<number> {
  let url: string | undefined;
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  let world = own.includes('--no-color') ? { ...input, terminal: plain(input.terminal) } : input;
  try {
    if (argv.length === 0) {
      world.terminal.out(overview(table));
      return exitCodes.ok.code;
    }
    const { command: row, rest } = findCommand(spokenToo[argv[0] ?? ''] ?? argv, table);
    const { args, options, rest: after } = readCommandLine(row, rest);
    if (options.help === true) {
      world.terminal.out(helpOf(row));
      return exitCodes.ok.code;
    }
    const output = outputOf(options);
    if (output !== undefined) {
      const format = await formatOf(output);
      world = { ...world, terminal: Object.create(world.terminal, { format: { value: format } }) };
    }
    let settings: Promise<Settings> | undefined;
    let client: Promise<Client> | undefined;
    const call: Call = {
      args,
      options,
      rest: after,
      json: output !== undefined,
      world,
      settings: () => {
        settings ??= readSettings(world, options.context as string | undefined);
        return settings;
      },
      client: () => {
        client ??= call.settings().then(async (known) => {
          url = known.url;
          return (await import('./settings/connection.ts')).connect(known);
        });
        return client;
      },
      commands: table,
    };
    const command = await loadCommand(row);
    const exit = (await command.run(call)) ?? 'ok';
    return typeof exit === 'number' ? exit : exitCodes[exit].code;
  } catch (error) {
    const failure = failureOf(error, url);
    if (failure === undefined) throw error;
    print(world, failure, own.includes('--json') || world.terminal.format === jsonFormat);
    return exitCodes[failure.exit].code;
  }
}

/** Format of results for programs; undefined if they are for people. */
function outputOf({ json, output }: Readonly<Record<string, unknown>>): string | undefined {
  if (json === true && output !== undefined && output !== 'json')
    throw new Failure('usage', 'Give either --json or -o.');
  return json === true ? 'json' : (output as string | undefined);
}

/** Copies getters explicitly, because `width` is read on use. */
const plain = (terminal: World['terminal']): World['terminal'] => Object.create(terminal, { colour: { value: false } });

function print({ terminal }: World, failure: Failure, json: boolean): void {
  if (!json) {
    // A message can contain untrusted text.
    terminal.note(safeText(`${failure.message}\n${failure.hint === undefined ? '' : `${failure.hint}\n`}`));
    return;
  }
  const { problem, message, hint, exit } = failure;
  const error = { code: problem?.code ?? exit, message: problem?.message ?? message, details: problem?.details, hint };
  terminal.note(`${JSON.stringify({ success: false, error })}\n`);
}
