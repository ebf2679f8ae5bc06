import { endpoints } from '@hortus/contract/endpoints';
import { type Command, globalOptions, type Options } from './command.ts';
import { exitCodes } from './exit-codes.ts';

/** Aligns two columns. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join('\n');
}

export function usageOf({ name, args, rest, options }: Command): string {
  const words = args.map((arg) => (arg.endsWith('?') ? `[<${arg.slice(0, -1)}>]` : `<${arg}>`));
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

export function overview(table: readonly Command[]): string {
  return `Deploy applications to your own servers, monitor and operate them.

Usage: hortus <command> [options]

Terms
  species      a template of the catalog, such as miniflux
  definition   a species with your inputs on one server; each change is a revision
  instance     the running containers of a definition

Commands
${columns(table.map((row) => [row.name, row.summary]))}

Options of every command
${columns(optionRows(globalOptions))}

Examples
  hortus login --url https://hortus.example.org
  hortus deploy miniflux --server web-1 --set WEB_HOSTNAME=feeds.example.org --wait
  hortus actions run miniflux db-dump --wait > miniflux.sql

Environment
  HORTUS_URL, HORTUS_KEY   address and key of the service; override the stored context
  NO_COLOR                 print without colour

Exit codes
${columns(Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]))}

hortus help <command> shows the options and examples of a command.
`;
}

export function helpOf(row: Command): string {
  const parts = [`${row.summary}${row.about ? `\n\n${row.about}` : ''}`, `Usage: ${usageOf(row)}`];
  const own = optionRows(row.options);
  if (own.length > 0) parts.push(`Options\n${columns(own)}`);
  parts.push(`Options of every command\n${columns(optionRows(globalOptions))}`);
  parts.push(`Examples\n${row.examples.map(([line, does]) => `  ${line}\n      ${does}`).join('\n')}`);
  const needed = permissionsOf(row);
  if (needed.length > 0) parts.push(`Required permissions\n  ${needed.join(', ')}`);
  return `${parts.join('\n\n')}\n`;
}

/** Lists the commands of a group. */
export const helpOfGroup = (rows: readonly Command[]): string =>
  `Usage\n${columns(rows.map((row) => [usageOf(row), row.summary]))}

hortus help <command> shows options and examples, for instance hortus help ${rows[0]?.name}.
`;

const permissionsOf = ({ calls }: Command): string[] => [
  ...new Set(calls.map((name) => endpoints[name].permission).filter((p) => p !== 'public' && p !== 'session')),
];
