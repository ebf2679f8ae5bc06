import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { settings } from './settings.ts';

const SUFFIX = '_FILE';
/** More than any setting needs; a wrong path may name a huge file. */
const MAX_BYTES = 64 * 1024;

/** Returns the setting whose value a variable such as HORTUS_MASTER_KEY_FILE names a file for. */
export function settingOfFile(variable: string): string | undefined {
  const name = variable.slice(0, -SUFFIX.length);
  return variable.endsWith(SUFFIX) && Object.hasOwn(settings, name) ? name : undefined;
}

/**
 * Returns the value of a setting from its variable or from the file that NAME_FILE names, as containers get their secrets. Throws an
 * error that does not contain the value.
 */
export function textSetting(input: Readonly<Record<string, string>>, name: string, cwd: string): string | undefined {
  // Compose files pass unset variables as empty strings.
  const [text, file] = [name, `${name}${SUFFIX}`].map((variable) => input[variable]?.trim() || undefined);
  if (file === undefined) return text;
  if (text !== undefined) throw new Error(`is set twice; remove it or ${name}${SUFFIX}.`);
  return contentOf(resolve(cwd, file), `${name}${SUFFIX}`);
}

function contentOf(path: string, variable: string): string {
  let bytes: Buffer;
  try {
    bytes = firstBytes(path);
  } catch (error) {
    throw new Error(`the file of ${variable} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (bytes.length > MAX_BYTES) throw new Error(`the file of ${variable} is larger than ${MAX_BYTES / 1024} KB.`);
  return bytes.toString('utf8').trim() || empty(variable);
}

function empty(variable: string): never {
  throw new Error(`the file of ${variable} is empty.`);
}

function firstBytes(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}
