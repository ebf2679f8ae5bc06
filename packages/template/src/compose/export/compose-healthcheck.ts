import type { ManifestComponent } from '@hortus/contract/template/manifest';
import { type ComposeFile, escaped } from './compose-file.ts';
import { composeDuration } from './compose-quantities.ts';

/**
 * Converts a health check. Compose only runs commands in the container, so HTTP and TCP probes need a program that may
 * be missing.
 */
export function composeHealthcheck(
  component: ManifestComponent,
  file: ComposeFile,
): Record<string, unknown> | undefined {
  const { healthcheck: check, name } = component;
  if (check === undefined) return undefined;
  if (check.disabled) return { disable: true };
  const test = check.test === undefined ? probe(component, file) : command(check.test);
  if (test === undefined) {
    file.dropped.push(`${name}: its health check`);
    return undefined;
  }
  return {
    test,
    interval: composeDuration(check.interval_ms),
    timeout: composeDuration(check.timeout_ms),
    retries: check.retries,
    start_period: composeDuration(check.start_period_ms),
  };
}

function command(test: readonly string[]): string[] {
  const [program, flag, line] = test;
  const shell = test.length === 3 && program === '/bin/sh' && flag === '-c' && line !== undefined;
  return shell ? ['CMD-SHELL', escaped(line)] : ['CMD', ...test.map(escaped)];
}

function probe({ name, healthcheck }: ManifestComponent, file: ComposeFile): string[] | undefined {
  if (healthcheck?.http !== undefined) {
    const { scheme, port, path, expect } = healthcheck.http;
    file.dropped.push(
      `${name}: the HTTP probe calls wget in the container${expect === undefined ? '' : ', and does not check the expected status'}`,
    );
    return ['CMD', 'wget', '-q', '-O', '/dev/null', escaped(`${scheme}://127.0.0.1:${port}${path}`)];
  }
  if (healthcheck?.tcp === undefined) return undefined;
  file.dropped.push(`${name}: the TCP probe calls nc in the container`);
  return ['CMD', 'nc', '-z', '127.0.0.1', String(healthcheck.tcp.port)];
}
