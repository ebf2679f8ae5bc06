import { RELEASED, VERSION } from '@hortus/contract/releases/version';
import { exitCodes } from '../exit-codes.ts';
import { globalOptions, type ListedCommand, type Options } from './command.ts';
import { about, bySection, environment, examples, terms, usageOf } from './help.ts';
import { bold, entry, escaped, text } from './roff.ts';

const options = (all: Options): string[] =>
  Object.entries(all).map(([name, { short, value, about: meaning, multiple }]) =>
    entry(
      `${short ? `-${short}, ` : ''}--${name}${value ? ` <${value}>` : ''}`,
      `${meaning}${multiple ? ' Repeatable.' : ''}`,
    ),
  );

const nested = (lines: readonly string[]): string[] => (lines.length === 0 ? [] : ['.RS', ...lines, '.RE']);

function commandEntry(row: ListedCommand): string[] {
  const details = row.about ? `\n${row.about}` : '';
  const shown = row.examples.flatMap(([line, does]) => [
    '.PP',
    text(does),
    '.PP',
    '.RS',
    '.nf',
    text(line),
    '.fi',
    '.RE',
  ]);
  const permissions =
    row.permissions.length > 0 ? ['.PP', text(`Required permissions: ${row.permissions.join(', ')}`)] : [];
  return [
    entry(usageOf(row), `${row.summary}.${details}`),
    ...nested([...options(row.options), ...shown, ...permissions]),
  ];
}

/** Writes the manual page hortus(1) from the table of commands. */
export function manualPage(table: readonly ListedCommand[]): string {
  const commands = bySection(table).flatMap(([section, rows]) => [
    `.SS ${escaped(section)}`,
    ...rows.flatMap(commandEntry),
  ]);
  return `${[
    `.TH HORTUS 1 ${RELEASED} "hortus ${escaped(VERSION)}" "User Commands"`,
    '.SH NAME',
    `hortus \\- ${text(about.replace(/^D/, 'd').replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    `${bold('hortus')} \\fIcommand\\fR [\\fIoptions\\fR]`,
    '.SH DESCRIPTION',
    text('hortus is the command line client of the Hortus service.'),
    ...terms.map(([term, meaning]) => entry(term, meaning)),
    '.SH OPTIONS OF EVERY COMMAND',
    ...options(globalOptions),
    '.SH COMMANDS',
    text('A group without a subcommand runs its list.'),
    ...commands,
    '.SH ENVIRONMENT',
    ...environment.map(([name, meaning]) => entry(name, meaning)),
    '.SH FILES',
    entry('~/.config/hortus/config.json', 'Addresses and keys of the services, readable only by their owner.'),
    '.SH EXIT STATUS',
    ...Object.values(exitCodes).map(({ code, meaning }) => entry(String(code), meaning)),
    '.SH EXAMPLES',
    '.nf',
    ...examples.map(text),
    '.fi',
  ].join('\n')}\n`;
}
