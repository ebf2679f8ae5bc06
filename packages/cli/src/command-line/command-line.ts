import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util';
import { nearest } from '@hortus/template/schema/nearest';
import { withSuggestion } from '../did-you-mean.ts';
import { Failure } from '../failure.ts';
import { type CommandArgs, type CommandRow, globalOptions, type Option, type Options } from './command.ts';

export interface CommandLine {
  readonly args: CommandArgs;
  /** Words after `--`, if the command takes them. */
  readonly rest: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Subcommand of a group that is called without one. */
const usualSubcommand = 'list';
/** Longest name of a command, in words. */
const MAX_WORDS = 3;

/** Finds the command; global options may precede it. */
export function findCommand<Row extends CommandRow>(
  argv: readonly string[],
  table: readonly Row[],
): { command: Row; rest: string[] } {
  const rest = [...argv];
  const before: string[] = [];
  while (rest[0]?.startsWith('-')) {
    const option = rest.shift() as string;
    before.push(option);
    if (['--context', '--output', '-o'].includes(option) && rest.length > 0) before.push(rest.shift() as string);
  }
  if (rest.length === 0)
    throw new Failure('usage', 'No command was given.', { hint: 'hortus help all lists the commands.' });
  const option = rest.findIndex((word) => word.startsWith('-'));
  const words = rest.slice(0, Math.min(option === -1 ? rest.length : option, MAX_WORDS));
  const found = (name: string, taken: number) => {
    const command = table.find((row) => row.name === name);
    return command && { command, rest: [...before, ...rest.slice(taken)] };
  };
  // The longest name counts.
  const beginnings = words.map((_, index) => words.slice(0, words.length - index));
  for (const name of beginnings) {
    const exact = found(name.join(' '), name.length);
    if (exact) return exact;
  }
  for (const name of beginnings) {
    const group = table.filter((row) => row.name.startsWith(`${name.join(' ')} `)).map((row) => row.name);
    if (group.length === 0) continue;
    const next = rest[name.length];
    const alone = next === undefined || next.startsWith('-');
    const usual = alone ? found([...name, usualSubcommand].join(' '), name.length) : undefined;
    if (usual) return usual;
    const available = `Available: ${group.join(', ')}.`;
    if (alone) throw new Failure('usage', `${name.join(' ')} needs a subcommand.`, { hint: available });
    const input = [...name, next].join(' ');
    throw new Failure('usage', `Unknown command: ${input}.`, { hint: withSuggestion(input, group, available) });
  }
  throw unknownCommand(words, table);
}

/** Suggests a whole command, or the first word of one. */
export function unknownCommand(words: readonly string[], table: readonly CommandRow[]): Failure {
  const names = table.map(({ name }) => name);
  const [first = ''] = words;
  const firstWords = names.map((name) => name.split(' ')[0] ?? '');
  const input = [words.join(' '), first].find((word) => nearest(word, names) !== undefined) ?? first;
  const hint = withSuggestion(input, [...names, ...firstWords], 'hortus help all lists the commands.');
  return new Failure('usage', `Unknown command: ${input}.`, { hint });
}

export function readCommandLine(command: CommandRow, words: readonly string[]): CommandLine {
  const options = optionsOf(command);
  const end = command.rest === undefined ? -1 : words.indexOf('--');
  const { values, positionals } = parsed(command, end === -1 ? words : words.slice(0, end), options);
  const asked: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    asked[name] = values[name] ?? (option.multiple ? [] : option.type === 'boolean' ? false : undefined);
  }
  return {
    args: named(command, positionals, asked.help === true),
    rest: end === -1 ? [] : words.slice(end + 1),
    options: asked,
  };
}

/** Own and global options; an own short form hides the same one of a global option. */
export function optionsOf(command: Pick<CommandRow, 'options'>): Options {
  const taken = new Set(Object.values(command.options).map(({ short }) => short));
  const common = Object.entries(globalOptions).map(([name, option]): [string, Option] => {
    const { short, ...rest }: Option = option;
    return [name, short === undefined || taken.has(short) ? rest : option];
  });
  return { ...Object.fromEntries(common), ...command.options };
}

function parsed(command: CommandRow, rest: readonly string[], options: Options) {
  const described: Record<string, ParseArgsOptionDescriptor> = {};
  for (const [name, { type, short, multiple }] of Object.entries(options)) {
    described[name] = { type, ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) };
  }
  try {
    return parseArgs({ args: [...rest], options: described, allowPositionals: true, strict: true });
  } catch (error) {
    // Keeps the first sentence: the rest of Node's message is about its own syntax.
    const [said = ''] = (error as Error).message.split(/\. |\n/);
    const [, unknown = ''] = /^Unknown option '--([^']+)'/.exec(said) ?? [];
    const known = Object.keys(options).map((name) => `--${name}`);
    throw new Failure('usage', `${said.replace(/\.$/, '')}.`, {
      hint: withSuggestion(`--${unknown}`, unknown ? known : [], `hortus help ${command.name} shows its options.`),
    });
  }
}

function named(command: CommandRow, input: readonly string[], helping: boolean): CommandArgs {
  const hint = `hortus help ${command.name} shows its usage.`;
  const args: Record<string, string | readonly string[] | undefined> = {};
  for (const [index, spelt] of command.args.entries()) {
    const name = spelt.replace(/[?*]$/, '');
    if (spelt.endsWith('*')) return { ...args, [name]: input.slice(index) };
    const value = input[index];
    if (!helping && (value === undefined || value === '') && !spelt.endsWith('?')) {
      throw new Failure('usage', `${command.name} needs ${article(name)} ${name}.`, { hint });
    }
    args[name] = value;
  }
  if (input.length > command.args.length) {
    const surplus = input.slice(command.args.length).join(' ');
    throw new Failure('usage', `${command.name} does not take the argument ${JSON.stringify(surplus)}.`, { hint });
  }
  return args;
}

const article = (name: string): string => (/^[aeiou]/.test(name) ? 'an' : 'a');
