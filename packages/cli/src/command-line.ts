import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util';
import { type Command, globalOptions, type Options } from './command.ts';
import { Failure } from './failure.ts';

export interface CommandLine {
  readonly command: Command;
  readonly args: Readonly<Record<string, string | undefined>>;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Subcommand of a group that is called without one. */
const usualSecondWord = 'list';

/** Finds the command; global options may precede it. */
export function findCommand(argv: readonly string[], table: readonly Command[]): { command: Command; rest: string[] } {
  const rest = [...argv];
  const before: string[] = [];
  while (rest[0]?.startsWith('-')) {
    const option = rest.shift() as string;
    before.push(option);
    if (option === '--context' && rest.length > 0) before.push(rest.shift() as string);
  }
  const first = rest.shift();
  if (first === undefined)
    throw new Failure('usage', 'No command was given.', { hint: 'hortus help lists the commands.' });
  const found = (name: string, more: string[]) => {
    const command = table.find((row) => row.name === name);
    return command && { command, rest: [...before, ...more] };
  };
  const [second] = rest;
  const exact = (second !== undefined && found(`${first} ${second}`, rest.slice(1))) || found(first, rest);
  if (exact) return exact;
  const group = table.filter((row) => row.name.startsWith(`${first} `)).map((row) => row.name);
  if (group.length === 0) {
    throw new Failure('usage', `Unknown command: ${first}.`, { hint: 'hortus help lists the commands.' });
  }
  const usual = second === undefined || second.startsWith('-') ? found(`${first} ${usualSecondWord}`, rest) : undefined;
  if (usual) return usual;
  throw new Failure(
    'usage',
    second === undefined ? `${first} needs a subcommand.` : `Unknown command: ${first} ${second}.`,
    {
      hint: `Available: ${group.join(', ')}.`,
    },
  );
}

export function readCommandLine(command: Command, rest: readonly string[]): CommandLine {
  const options: Options = { ...globalOptions, ...command.options };
  const { values, positionals } = parsed(command, rest, options);
  const asked: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    asked[name] = values[name] ?? (option.multiple ? [] : option.type === 'boolean' ? false : undefined);
  }
  return { command, args: named(command, positionals, asked.help === true), options: asked };
}

function parsed(command: Command, rest: readonly string[], options: Options) {
  const described: Record<string, ParseArgsOptionDescriptor> = {};
  for (const [name, { type, short, multiple }] of Object.entries(options)) {
    described[name] = { type, ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) };
  }
  try {
    return parseArgs({ args: [...rest], options: described, allowPositionals: true, strict: true });
  } catch (error) {
    // Keeps the first sentence: the rest of Node's message is about its own syntax.
    const [said = ''] = (error as Error).message.split(/\. |\n/);
    throw new Failure('usage', `${said.replace(/\.$/, '')}.`, {
      hint: `hortus help ${command.name} shows its options.`,
    });
  }
}

function named(command: Command, given: readonly string[], helping: boolean): Record<string, string | undefined> {
  const hint = `hortus help ${command.name} shows its usage.`;
  const args: Record<string, string | undefined> = {};
  for (const [index, spelt] of command.args.entries()) {
    const name = spelt.replace('?', '');
    const value = given[index];
    if (!helping && (value === undefined || value === '') && !spelt.endsWith('?')) {
      throw new Failure('usage', `${command.name} needs ${article(name)} ${name}.`, { hint });
    }
    args[name] = value;
  }
  if (given.length > command.args.length) {
    const surplus = given.slice(command.args.length).join(' ');
    throw new Failure('usage', `${command.name} does not take the argument ${JSON.stringify(surplus)}.`, { hint });
  }
  return args;
}

const article = (name: string): string => (/^[aeiou]/.test(name) ? 'an' : 'a');
