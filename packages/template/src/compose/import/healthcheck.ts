import type { Healthcheck } from '@hortus/contract/template/healthcheck';
import { isMapping } from '../../schema/schema-check.ts';
import type { Path } from '../../source/finding.ts';
import { duration, wholeNumber } from './quantities.ts';
import type { Reading } from './reading.ts';

const SHELL = ['/bin/sh', '-c'];
/** Defaults of Docker, which differ from those of the template format. */
const STANDARD = { interval: '30s', timeout: '30s', start_period: '0s' } as const;
const STANDARD_RETRIES = 3;
const MAX_RETRIES = 100;

export function readHealthcheck(reading: Reading, value: unknown, path: Path): Healthcheck | undefined {
  if (value === null || value === undefined) return undefined;
  if (!isMapping(value)) {
    reading.notes.drop(path, 'is not a mapping');
    return undefined;
  }
  if (reading.flag(value.disable, [...path, 'disable'])) return { disabled: true };
  const test = readTest(reading, value.test, [...path, 'test']);
  if (test === 'none') return { disabled: true };
  for (const key of Object.keys(value)) {
    if (key === 'start_interval') {
      reading.notes.infer([...path, key], 'the interval also applies while the component starts');
    } else if (!['test', 'disable', 'retries', ...Object.keys(STANDARD)].includes(key) && !key.startsWith('x-')) {
      reading.notes.drop([...path, key], `${key} of a health check is not supported in templates`);
    }
  }
  if (test === undefined) {
    reading.notes.drop(path, 'the health check has no test');
    return undefined;
  }
  return { test, ...times(reading, value, path), retries: retries(reading, value.retries, [...path, 'retries']) };
}

/** Reads `[CMD, …]`, `[CMD-SHELL, line]`, `[NONE]` or a shell line. */
function readTest(reading: Reading, test: unknown, path: Path): string[] | 'none' | undefined {
  if (!Array.isArray(test)) {
    const line = reading.text(test, path);
    if (line === undefined || line === '') return undefined;
    return line === 'NONE' ? 'none' : [...SHELL, line];
  }
  const [kind, ...rest] = test.map((word, index) => reading.text(word, [...path, index]) ?? '');
  if (kind === 'NONE') return 'none';
  if (kind === 'CMD') return rest.length > 0 ? rest : undefined;
  if (kind === 'CMD-SHELL') return rest.length > 0 ? [...SHELL, rest.join(' ')] : undefined;
  if (kind === undefined) return undefined;
  reading.notes.infer(path, 'a test must start with CMD or CMD-SHELL; CMD is assumed');
  return [kind, ...rest];
}

function times(reading: Reading, value: Record<string, unknown>, path: Path): Pick<Healthcheck, keyof typeof STANDARD> {
  const declared: Record<string, string> = {};
  for (const [key, standard] of Object.entries(STANDARD)) {
    const text = reading.settled(value[key], [...path, key]);
    const time = text === undefined ? undefined : duration(text);
    if (value[key] !== undefined && time === undefined) reading.notes.drop([...path, key], `${key} is not a duration`);
    // Zero means the default, except for the start period, where zero is the default.
    declared[key] = time === undefined || /^0(ms|s)$/.test(time) ? standard : time;
  }
  return declared;
}

function retries(reading: Reading, value: unknown, path: Path): number {
  const number = wholeNumber(reading.settled(value, path));
  if (number === undefined || number <= 0) return STANDARD_RETRIES;
  if (number > MAX_RETRIES) reading.notes.drop(path, `more than ${MAX_RETRIES} retries`);
  return Math.min(number, MAX_RETRIES);
}
