import type { DaemonError } from '@hortus/contract/resources/diagnostics';
import { printPolicy } from '../policy/read-policy.ts';
import type { Examination } from './examine.ts';

const DAY = 86_400_000;

/** Whether something is wrong now, or went wrong in the last day: the exit code of `hortusd doctor`. */
export const isWell = ({ problems, errors }: Examination, now: number): boolean =>
  problems.length === 0 && errors.every(({ last_at }) => now - Date.parse(last_at) > DAY);

/** Prints the state of the daemon for people. */
export function printExamination(found: Examination): string {
  const { versions, limits, engine, update } = found;
  const row = (name: string, text: string) => `${name.padEnd(10)} ${text}\n`;
  const facts = [
    row('Versions', `hortusd ${versions.hortusd}, Node ${versions.node}, ${versions.os}, ${versions.arch}`),
    row('State', found.state_directory),
    row('Daemon', found.process === null ? 'not running' : `running as process ${found.process}`),
    row('Engine', engine === null ? 'unreachable' : (engine.engine_problem ?? factsOf(engine))),
    row('Capacity', limits.capacity === null ? 'unknown' : capacityText(limits.capacity)),
    row(
      'Networks',
      limits.networks === null ? 'unknown' : `${limits.networks.free} of ${limits.networks.total} blocks free`,
    ),
    row('Update', update.last === null ? 'none' : factsOf(update.last)),
  ];
  const sections = [
    section(
      'Settings',
      Object.entries(found.config ?? {}).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`],
      ),
    ),
    section('Policy', found.policy ? printPolicy(found.policy).split('\n').filter(isRule) : []),
    section('Problems', found.problems),
    section('Last errors', found.errors.map(errorText)),
  ];
  return [...facts, ...sections].join('').replaceAll(controlCharacters, '\u{fffd}');
}

/** Prints an error with its stack. */
function errorText({ level, message, detail, fields, count, first_at, last_at }: DaemonError): string {
  const times = count === 1 ? '' : ` (${count} times since ${first_at})`;
  const about = Object.entries(fields).map(([name, value]) => ` ${name}=${value}`);
  const indented = detail === null ? '' : `\n${detail}`.replaceAll('\n', '\n    ');
  return `${last_at} ${level}${times}: ${message}${about.join('')}${indented}`;
}

/** An error may contain the output of a container, which must not control the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

const isRule = (line: string): boolean => line !== '' && !line.startsWith('#');

const section = (title: string, lines: readonly string[]): string =>
  `\n${title}\n${(lines.length === 0 ? ['none'] : lines).map((line) => `  ${line.replaceAll('\n', '\n  ')}\n`).join('')}`;

const factsOf = (record: object): string =>
  Object.entries(record)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

const capacityText = ({ cpu, memory, disk }: NonNullable<Examination['limits']['capacity']>): string =>
  `${cpu.cores} cores, memory ${gigabytes(memory.free)} free of ${gigabytes(memory.used + memory.free)}, disk ${gigabytes(disk.free)} free of ${gigabytes(disk.used + disk.free)}`;

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
