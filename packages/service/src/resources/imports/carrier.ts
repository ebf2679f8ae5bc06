import { conflict } from '../../problem.ts';
import type { ServerState } from '../servers/public.ts';

/**
 * Requires a server whose daemon can transfer bundles; it may be offline. `field` is the request field with the server.
 */
export function requireCarrier(server: ServerState | undefined, field: string): void {
  if (!server) throw conflict(field, 'removed', 'its server has been removed.');
  const { name, capabilities } = server;
  if (capabilities && !['bundle', 'transfer-stream'].every((text) => capabilities.includes(text)))
    throw conflict(field, 'old_daemon', `the daemon of ${name} cannot transfer the volumes of bundles; update it.`);
}
