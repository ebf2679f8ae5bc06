import { readFileSync } from 'node:fs';
import { ENVIRONMENT } from '../install/installation.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Adds the settings that `hortusd install` wrote for systemd, which the shell of an operator does not have. */
export function withInstalled(env: Environment, file = ENVIRONMENT): Environment {
  if (env.HORTUSD_URL !== undefined || env.HORTUSD_KEY_FILE !== undefined) return env;
  try {
    return { ...parseEnvironment(readFileSync(file, 'utf8')), ...env };
  } catch {
    return env;
  }
}

/** Reads what `environmentFile` writes, and plain assignments of a person. */
const parseEnvironment = (text: string): Record<string, string> =>
  Object.fromEntries(
    Array.from(text.matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm), ([, name = '', value = '']) => [name, unquoted(value)]),
  );

const unquoted = (value: string): string =>
  value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1).replace(/\\(["\\$`])/g, '$1') : value.trim();
