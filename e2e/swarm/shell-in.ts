import { text } from 'node:stream/consumers';
import { hortusInScript } from '@hortus/testkit/pseudo-terminal';
import { expect } from 'vitest';
import type { ClusterInstallation } from './cluster-installation.ts';

/** Runs a command in an instance by `hortus shell`, with an input, and returns its output. */
export async function shellIn(
  { service }: ClusterInstallation,
  uid: string,
  argv: readonly string[],
  input = '',
): Promise<string> {
  const env = { HORTUS_URL: service.base, HORTUS_KEY: service.key };
  const child = hortusInScript(['shell', uid, '--', ...argv], env);
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(out, err).not.toBe('');
  return out;
}
