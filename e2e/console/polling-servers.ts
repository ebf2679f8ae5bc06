import type { ReportedServer } from '@hortus/testkit/reported-servers';
import { afterAll } from 'vitest';

/** Lets servers poll until the end of the file: after a minute of silence they are offline, and their instances lost. */
export function keepPolling(...servers: ReportedServer[]): void {
  const timer = setInterval(() => {
    for (const { daemon } of servers) daemon.call('deployments.pending', {}).catch(() => {});
  }, 10_000);
  afterAll(() => clearInterval(timer));
}
