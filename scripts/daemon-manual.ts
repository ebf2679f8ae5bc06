import { bold, entry, escaped, text } from '@hortus/cli/command-line/roff';
import { RELEASED, VERSION } from '@hortus/contract/releases/version';
import { ENVIRONMENT } from '@hortus/daemon/install/installation';
import {
  commandOptions,
  commands,
  doctorNote,
  examples,
  exitCodes,
  explained,
  purpose,
  usageOf,
  variablesNote,
} from '@hortus/daemon/options/help';
import {
  type RunOption,
  type RunOptionName,
  runOptions,
  secretSettings,
  variableOf,
} from '@hortus/daemon/options/run-options';

const files = {
  [ENVIRONMENT]: 'Settings of the installed daemon, one NAME="value" per line; readable by root only.',
  '/var/lib/hortusd': 'State directory: journal, pinned keys, backups.',
  '/var/lib/hortusd/policy.yaml': 'What the service may do on this server; hortusd policy prints it.',
} as const;

/** Writes the manual page hortusd(8) from the tables of commands and options. */
export function daemonManual(): string {
  const options = Object.entries<RunOption>(runOptions).map(([name, option]) =>
    entry(usageOf(name, option), `${explained(option)}\nVariable: ${variableOf(name as RunOptionName)}.`),
  );
  const ofCommands = Object.entries<Readonly<Record<string, RunOption>>>(commandOptions).flatMap(([command, own]) => [
    `.SS Options of ${command}`,
    ...Object.entries(own).map(([name, option]) => entry(usageOf(name, option), explained(option))),
  ]);
  return `${[
    `.TH HORTUSD 8 ${RELEASED} "hortus ${escaped(VERSION)}" "System Administration"`,
    '.SH NAME',
    `hortusd \\- ${text(purpose.replace(/^hortusd /, '').replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    `${bold('hortusd')} \\fIcommand\\fR [\\fIoptions\\fR]`,
    '.SH DESCRIPTION',
    text(purpose),
    text('It connects to the service from inside, so that no port of the server is opened.'),
    '.SH COMMANDS',
    ...Object.entries(commands).map(([name, meaning]) => entry(`hortusd ${name}`, meaning)),
    '.SH OPTIONS',
    text('Of run, install, policy and doctor.'),
    ...options,
    ...ofCommands,
    '.PP',
    text(doctorNote),
    '.SH ENVIRONMENT',
    text(variablesNote),
    ...Object.entries(secretSettings).map(([name, meaning]) => entry(name, meaning)),
    '.SH FILES',
    ...Object.entries(files).map(([path, meaning]) => entry(path, meaning)),
    '.SH EXIT STATUS',
    ...Object.entries(exitCodes).map(([code, meaning]) => entry(code, meaning)),
    '.SH EXAMPLES',
    '.nf',
    ...examples.map(text),
    '.fi',
    '.SH SEE ALSO',
    `${bold('hortus')}(1), ${bold('systemctl')}(1)`,
  ].join('\n')}\n`;
}
