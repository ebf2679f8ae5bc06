import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type DaemonError, MAX_ERRORS } from '@hortus/contract/resources/diagnostics';
import { writeSecretFile } from '../journal/secret-file.ts';
import { errorRecord, merged } from './error-record.ts';

/** Size at which the file is rewritten with the last errors only. */
const MAX_BYTES = 1024 * 1024;
/** Size of the last errors together. */
const MAX_KEPT = 256 * 1024;

const fileIn = (stateDirectory: string): string => join(stateDirectory, 'errors.jsonl');

/**
 * Stores a log line of level error or fatal. The operating system has it when this returns, so that it survives the end of the process.
 * Never throws: the disk may be full, and the line was logged already.
 */
export function keepError(stateDirectory: string, line: string): void {
  try {
    mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
    const file = openSync(fileIn(stateDirectory), 'a', 0o600);
    try {
      appendFileSync(file, `${JSON.stringify(errorRecord(line))}\n`);
      if (fstatSync(file).size <= MAX_BYTES) return;
    } finally {
      closeSync(file);
    }
    const rest = readErrors(stateDirectory).map((error) => `${JSON.stringify(error)}\n`);
    writeSecretFile(fileIn(stateDirectory), rest.join(''));
  } catch {}
}

/** Reads the last errors, oldest first. Skips a line that a full disk cut. */
export function readErrors(stateDirectory: string): DaemonError[] {
  const lines = textOf(fileIn(stateDirectory)).split('\n');
  const errors = merged(lines.flatMap(parsed)).slice(-MAX_ERRORS);
  let bytes = 0;
  const fitting = errors.toReversed().filter((error) => {
    bytes += Buffer.byteLength(JSON.stringify(error));
    return bytes <= MAX_KEPT;
  });
  return fitting.reverse();
}

/** Changes with every stored error. */
export function errorStamp(stateDirectory: string): string {
  try {
    const { size, mtimeMs, ino } = statSync(fileIn(stateDirectory));
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return '';
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function parsed(line: string): DaemonError[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as DaemonError];
  } catch {
    return [];
  }
}
