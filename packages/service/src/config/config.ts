import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { nearest } from '@hortus/template/schema/nearest';
import { kindOfKey } from '../identity/tokens.ts';
import { readDatabaseServers } from '../storage/postgres/servers.ts';
import type { Config, Environment } from './config-fields.ts';
import { settingOfFile, textSetting } from './setting-files.ts';
import { settings } from './settings.ts';

export type { Config, RateLimits } from './config-fields.ts';

/** Thrown at start: lists every invalid setting by name. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Prefix of variables for the project's own tests; a service started by a test inherits them. */
const forTests = 'HORTUS_TEST_';
/** Settings of the command line, which may be set in the shell that starts the service. */
const ofCommandLine = ['HORTUS_URL', 'HORTUS_KEY'];

/**
 * Reads all settings once, from the environment and from a `.env` file in the working directory; the environment takes
 * precedence. Throws one error that lists all problems.
 */
export function readConfig(env: Environment, cwd: string): Config {
  const input = { ...dotEnv(cwd), ...defined(env) };
  const problems: string[] = [];
  for (const name of Object.keys(input)) {
    if (!name.startsWith('HORTUS_') || name.startsWith(forTests) || ofCommandLine.includes(name)) continue;
    if (!(name in settings) && settingOfFile(name) === undefined) problems.push(unknown(name));
  }
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings)) {
    try {
      const text = textSetting(input, name, cwd);
      values[setting.field] =
        text === undefined ? setting.otherwise(values as Partial<Config>, cwd) : setting.read(text, cwd);
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
    }
  }
  const config = values as unknown as Config;
  if (problems.length === 0) problems.push(...disagreements(config));
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
}

/** Returns the effective settings for display: for a secret only whether it is set. */
export function describeConfig(config: Config): { readonly name: string; readonly value: string }[] {
  return Object.entries(settings).map(([name, setting]) => {
    const value = config[setting.field];
    if (value === undefined) return { name, value: '(not set)' };
    if (setting.secret) return { name, value: '(set, not shown)' };
    return { name, value: setting.show ? setting.show(value as never) : String(value) };
  });
}

function disagreements(config: Config): string[] {
  const { databaseUrl, databaseReads, masterKey, adminKey, mode, assistantUrl, assistantModel } = config;
  const found: string[] = [];
  if (databaseUrl !== undefined && masterKey === undefined) {
    found.push('HORTUS_MASTER_KEY: must be set with PostgreSQL, where every replica needs the same one.');
  }
  if (databaseReads === 'standby' && !hasStandbys(databaseUrl)) {
    found.push('HORTUS_DATABASE_READS: standby needs several hosts in HORTUS_DATABASE_URL.');
  }
  if (adminKey !== undefined && kindOfKey(adminKey, mode) !== 'key') {
    found.push(`HORTUS_ADMIN_KEY: must be hk_${mode}_ and 32 to 128 letters, digits, - or _ (HORTUS_MODE is ${mode}).`);
  }
  if (assistantUrl !== undefined && assistantModel === undefined) {
    found.push('HORTUS_ASSISTANT_MODEL: must be set with HORTUS_ASSISTANT_URL, to the name of the model.');
  }
  return found;
}

const hasStandbys = (databaseUrl: string | undefined): boolean =>
  databaseUrl !== undefined && readDatabaseServers(databaseUrl).urls.length > 1;

function unknown(name: string): string {
  const meant = nearest(name, Object.keys(settings));
  return `${name}: is not a setting${meant ? `; did you mean ${meant}?` : '.'}`;
}

const defined = (env: Environment): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));

function dotEnv(cwd: string): Record<string, string> {
  try {
    return defined(parseEnv(readFileSync(join(cwd, '.env'), 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new ConfigError(`The file .env cannot be read: ${(error as Error).message}`);
  }
}
