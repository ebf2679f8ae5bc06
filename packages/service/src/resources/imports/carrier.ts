import { conflict } from '../../problem.ts';
import type { Standing } from '../servers/service.ts';

/** A server whose daemon can be the other end of what a caller sends or receives; one that is away is waited for. `field` named it. */
export function requireCarrier(server: Standing | undefined, field: string): void {
  if (!server) throw conflict(field, 'removed', 'its server has been removed.');
  const { name, capabilities } = server;
  if (capabilities && !capabilities.includes('bundle'))
    throw conflict(field, 'old_daemon', `the daemon of ${name} cannot carry volumes to and from callers; update it.`);
}
