import { exitCodes } from '../exit-codes.ts';
import { type CommandRow, globalOptions, type ListedCommand, type Options } from './command.ts';
import { optionsOf } from './command-line.ts';

/** Aligns two columns. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join('\n');
}

export function usageOf({ name, args, rest, options }: CommandRow): string {
  const words = args.map((arg) => {
    const name = arg.replace(/[?*]$/, '');
    return arg === name ? `<${name}>` : `[<${name}>${arg.endsWith('*') ? '…' : ''}]`;
  });
  return [
    'hortus',
    name,
    ...words,
    ...(Object.keys(options).length > 0 ? ['[options]'] : []),
    ...(rest ? [`[-- <${rest}>…]`] : []),
  ].join(' ');
}

const optionRows = (options: Options): [string, string][] =>
  Object.entries(options).map(([name, { short, value, multiple, about }]) => [
    `${short ? `-${short}, ` : ''}--${name}${value ? ` <${value}>` : ''}`,
    `${about}${multiple ? ' Repeatable.' : ''}`,
  ]);

export const about = 'Deploy applications to your own servers, monitor and operate them.';
const usage = 'Usage: hortus <command> [options]';
export const terms = [
  ['species', 'a template of the catalog, such as miniflux'],
  ['definition', 'a species with your inputs on one server; each change is a revision'],
  ['instance', 'the running containers of a definition'],
] as const;
export const environment = [
  ['HORTUS_URL, HORTUS_KEY', 'address and key of the service; override the stored context'],
  ['HORTUS_GIT_TOKEN', 'access token of the repository for hortus gardens follow and edit --new-token'],
  ['NO_COLOR', 'print without colour'],
] as const;
export const examples = [
  'hortus login --url https://hortus.example.org',
  'hortus deploy miniflux --server web-1 --set WEB_HOSTNAME=feeds.example.org --wait',
  'hortus actions run miniflux db-dump --wait > miniflux.sql',
];

export function bySection(table: readonly ListedCommand[]): [section: string, rows: ListedCommand[]][] {
  return Object.entries(Object.groupBy(table, ({ section }) => section)).map(([title, rows]) => [title, rows ?? []]);
}

/** Width of a usual terminal. */
const WIDTH = 80;

/** Breaks words into lines of at most `width` characters. */
function wrapped(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const longer = `${lines.at(-1)}, ${word}`;
    if (lines.length > 0 && longer.length < width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line, at) => (at < lines.length - 1 ? `${line},` : line));
}

/** The first screen: the words that commands begin with. */
export function overview(table: readonly ListedCommand[]): string {
  const sections = bySection(table);
  const indent = 4 + Math.max(...sections.map(([section]) => section.length));
  const rows = sections.flatMap(([section, commands]) => {
    const firstWords = new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''));
    return wrapped([...firstWords], WIDTH - indent).map((line, at) => [at === 0 ? section : '', line] as const);
  });
  return `${about}

${usage}

${columns(rows)}

${columns([
  ['hortus help deploy', 'options and examples of a command, or a group'],
  ['hortus help all', 'every command, the terms, exit codes and environment'],
])}
`;
}

export function everything(table: readonly ListedCommand[]): string {
  const width = Math.max(...table.map(({ name }) => name.length));
  const sections = bySection(table).map(
    ([section, rows]) => `${section}\n${columns(rows.map((row) => [row.name.padEnd(width), row.summary]))}`,
  );
  return `${about}

${usage}

Terms
${columns(terms)}

${sections.join('\n\n')}

Options of every command
${columns(optionRows(globalOptions))}

Examples
${examples.map((line) => `  ${line}`).join('\n')}

Environment
${columns(environment)}

Exit codes
${columns(Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]))}

hortus help <command> shows the options and examples of a command.
`;
}

export function helpOf(row: ListedCommand): string {
  const parts = [`${row.summary}${row.about ? `\n\n${row.about}` : ''}`, `Usage: ${usageOf(row)}`];
  const own = optionRows(row.options);
  if (own.length > 0) parts.push(`Options\n${columns(own)}`);
  // A short form that the command uses itself is not shown.
  const common = Object.entries(optionsOf(row)).filter(([name]) => name in globalOptions && !(name in row.options));
  parts.push(`Options of every command\n${columns(optionRows(Object.fromEntries(common)))}`);
  parts.push(`Examples\n${row.examples.map(([line, does]) => `  ${line}\n      ${does}`).join('\n')}`);
  if (row.permissions.length > 0) parts.push(`Required permissions\n  ${row.permissions.join(', ')}`);
  return `${parts.join('\n\n')}\n`;
}

/** Lists the commands of a group. */
export const helpOfGroup = (rows: readonly CommandRow[]): string =>
  `Usage\n${columns(rows.map((row) => [usageOf(row), row.summary]))}

hortus help <command> shows options and examples, for instance hortus help ${rows[0]?.name}.
`;
