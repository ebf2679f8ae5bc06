import type { CommandRow, Option, Options } from '../command-line/command.ts';
import { optionsOf } from '../command-line/command-line.ts';

/** Its arguments are the words of another command. */
const HELP = 'help';

export interface Candidate {
  readonly word: string;
  readonly about?: string;
}

/** Returns the names for the placeholder of an argument or option, such as `instance`. */
export type NamesOf = (kind: string) => Promise<readonly Candidate[]>;

/**
 * Returns what can replace the last of the words after `hortus`. Only names that exist come from outside (`names`); the rest is
 * derived from the table.
 */
export async function candidatesOf(
  table: readonly CommandRow[],
  input: readonly string[],
  names: NamesOf,
): Promise<readonly Candidate[]> {
  const words = joinedAssignments(input);
  const current = words.at(-1) ?? '';
  const read = readWords(table, words.slice(0, -1));
  const ofValue = async (option: Option, typed: string) => startingWith(typed, await names(option.value ?? ''));
  if (read.open !== undefined) return ofValue(read.open, current);
  const [, name = '', typed] = /^--([\w-]+)=(.*)$/s.exec(current) ?? [];
  const assigned = typed === undefined ? undefined : read.options[name];
  if (assigned !== undefined) {
    const values = await ofValue(assigned, typed ?? '');
    // Bash passes the value as a word of its own.
    return input.at(-1) === current ? values.map((value) => ({ ...value, word: `--${name}=${value.word}` })) : values;
  }
  if (current.startsWith('-')) return startingWith(current, optionWords(read.options, read.used));
  const next = nextWords(table, read.words);
  const kind = argumentAt(read.command?.args ?? [], read.args.length);
  if (read.command?.name === HELP) return startingWith(current, nextWords(table, read.args));
  const named = kind === undefined ? [] : await names(kind);
  return startingWith(current, [...(read.args.length === 0 ? next : []), ...named]);
}

/** Returns the placeholder of an argument; the last one may stand for any number of them. */
function argumentAt(args: readonly string[], place: number): string | undefined {
  const last = args.at(-1);
  return (args[place] ?? (last?.endsWith('*') ? last : undefined))?.replace(/[?*]$/, '');
}

/** Joins `--server`, `=`, `web` to one word: Bash splits at the sign. */
function joinedAssignments(input: readonly string[]): string[] {
  const words: string[] = [];
  for (const [at, word] of input.entries()) {
    const before = words.at(-1);
    if (before?.startsWith('--') && (word === '=' || (input[at - 1] === '=' && before.endsWith('='))))
      words[words.length - 1] = before + word;
    else words.push(word);
  }
  return words;
}

interface Read {
  /** Words without options: the name of the command, or its beginning, and the arguments. */
  readonly words: readonly string[];
  readonly command: CommandRow | undefined;
  readonly args: readonly string[];
  readonly options: Options;
  readonly used: ReadonlySet<string>;
  /** The option whose value comes next. */
  readonly open: Option | undefined;
}

function readWords(table: readonly CommandRow[], before: readonly string[]): Read {
  const words: string[] = [];
  const used = new Set<string>();
  let open: Option | undefined;
  const options = () => optionsOf(commandOf(table, words) ?? { options: {} });
  for (const word of before) {
    if (open !== undefined) open = undefined;
    else if (!word.startsWith('-')) words.push(word);
    else {
      const known = Object.entries(options()).find(([name, { short }]) => word === `--${name}` || word === `-${short}`);
      if (known === undefined) continue;
      used.add(known[0]);
      if (known[1].type === 'string') open = known[1];
    }
  }
  const command = commandOf(table, words);
  const args = command === undefined ? [] : words.slice(command.name.split(' ').length);
  return { words, command, args, options: options(), used, open };
}

/** The longest name counts. */
const commandOf = (table: readonly CommandRow[], words: readonly string[]): CommandRow | undefined =>
  table
    .filter(({ name }) => `${words.join(' ')} `.startsWith(`${name} `))
    .sort((a, b) => b.name.length - a.name.length)[0];

/** Words that continue the name of a command. */
function nextWords(table: readonly CommandRow[], words: readonly string[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const { name, summary } of table) {
    const parts = name.split(' ');
    const word = parts[words.length];
    if (word === undefined || words.some((word, at) => word !== parts[at])) continue;
    const isWhole = parts.length === words.length + 1;
    if (isWhole || !found.has(word)) found.set(word, isWhole ? { word, about: summary } : { word });
  }
  return [...found.values()];
}

const optionWords = (options: Options, used: ReadonlySet<string>): Candidate[] =>
  Object.entries(options)
    .filter(([name, { multiple }]) => multiple || !used.has(name))
    .map(([name, { about }]) => ({ word: `--${name}`, about }));

/** Leaves out names that a shell would interpret, because they are put on the command line as they are. */
const startingWith = (typed: string, all: readonly Candidate[]): Candidate[] =>
  all.filter(({ word }) => word.startsWith(typed) && /^[\w@%+=:,./-]+$/.test(word));
