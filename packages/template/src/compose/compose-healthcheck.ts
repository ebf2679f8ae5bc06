import type { ManifestComponent } from '@hortus/contract/template/manifest';
import { type ComposeFile, escaped } from './compose-file.ts';
import { composeDuration } from './compose-quantities.ts';

/** Compose checks health by a command inside only; probes from outside need a program that may not be there. */
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
      `${name}: the HTTP probe is a call of wget inside${expect === undefined ? '' : ', whatever the status of success'}`,
    );
    return ['CMD', 'wget', '-q', '-O', '/dev/null', escaped(`${scheme}://127.0.0.1:${port}${path}`)];
  }
  if (healthcheck?.tcp === undefined) return undefined;
  file.dropped.push(`${name}: the TCP probe is a call of nc inside`);
  return ['CMD', 'nc', '-z', '127.0.0.1', String(healthcheck.tcp.port)];
}
