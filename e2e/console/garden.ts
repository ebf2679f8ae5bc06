import type { ReportedServer } from '@hortus/testkit/reported-servers';
import { afterAll } from 'vitest';

export {
  addServer as addBed,
  beginDeployment,
  deployWhole as plant,
  type ReportedServer as Bed,
} from '@hortus/testkit/reported-servers';

/** Lets servers poll until the end of the file: one that is silent for a minute is offline, and its instances are lost. */
export function keepInTouch(...servers: ReportedServer[]): void {
  const timer = setInterval(() => {
    for (const { daemon } of servers) daemon.call('deployments.pending', {}).catch(() => {});
  }, 10_000);
  afterAll(() => clearInterval(timer));
}
