import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytes } from '@hortus/template/notation/quantity';
import { checkSchema } from '@hortus/template/schema/schema-check';
import { pathText } from '@hortus/template/source/finding';
import { parse } from '@hortus/template/source/parse';
import { ConfigError } from '../options/config-error.ts';
import { compareVersions } from '../update/compare-versions.ts';
import { type Policy, PolicyFile } from './policy.ts';

export const policyFileOf = (stateDirectory: string): string => join(stateDirectory, 'policy.yaml');

/**
 * Reads the effective policy. A missing file means the safe defaults; an invalid file prevents the start of the daemon.
 */
export function readPolicy(file: string): Policy {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    text = '{}';
  }
  return parsePolicy(text, file);
}

/** Accepts JSON too, which is valid YAML. */
export function parsePolicy(text: string, file = 'policy.yaml'): Policy {
  const { value, findings } = parse(text, file);
  const [finding] = findings;
  if (finding) throw new ConfigError(`${file}:${finding.line}: ${finding.message}`);
  const input = (value ?? {}) as Record<string, unknown>;
  const [remark] = checkSchema(PolicyFile, input);
  if (remark) {
    const hint = remark.suggestion === undefined ? '' : `; ${remark.suggestion}`;
    throw new ConfigError(`${file}: ${pathText(remark.path)}: ${remark.message}${hint}`);
  }
  const { max_memory, max_cpus, min_daemon_version, ...rest } = input as {
    max_memory?: string;
    max_cpus?: number;
    min_daemon_version?: string;
  };
  const max_memory_bytes = max_memory === undefined ? undefined : bytes(max_memory);
  if (max_memory !== undefined && max_memory_bytes === undefined) {
    throw new ConfigError(`${file}: max_memory must be a size such as 4Gi.`);
  }
  return { ...defaults(), ...rest, max_memory_bytes, max_cpus, min_daemon_version };
}

function defaults(): Omit<Policy, 'max_memory_bytes' | 'max_cpus' | 'min_daemon_version'> {
  const entries = Object.entries(PolicyFile.properties as Record<string, { default?: unknown }>);
  return Object.fromEntries(
    entries.flatMap(([name, schema]) =>
      schema.default === undefined ? [] : [[name, structuredClone(schema.default)]],
    ),
  ) as unknown as Omit<Policy, 'max_memory_bytes' | 'max_cpus' | 'min_daemon_version'>;
}

/** Throws if the policy requires a newer daemon: an old one may lack a rule that the operator relies on. */
export function requireMinimumVersion(
  { min_daemon_version: minimum }: Pick<Policy, 'min_daemon_version'>,
  version: string,
  file: string,
): void {
  if (minimum !== undefined && compareVersions(version, minimum) < 0)
    throw new ConfigError(
      `${file}: min_daemon_version is ${minimum}, but this is hortusd ${version}. Install a newer hortusd, or change the policy.`,
    );
}

/** Prints YAML with a comment on each rule. */
export function printPolicy(policy: Policy): string {
  const properties = PolicyFile.properties as Record<string, { description?: string }>;
  const lines = Object.entries(properties).flatMap(([name, { description }]) => {
    const value = name === 'max_memory' ? policy.max_memory_bytes : policy[name as keyof Policy];
    const shown =
      value === undefined ? `# ${name}:` : `${name}: ${JSON.stringify(name === 'max_memory' ? `${value}` : value)}`;
    return description === undefined ? [shown] : [`# ${description}`, shown];
  });
  return `${lines.join('\n')}\n`;
}
