import { conflict } from '../../problem.ts';
import type { ServerState } from '../servers/public.ts';

/** Where the log of an instance is kept. */
export interface LogTarget {
  readonly accountId: string;
  readonly serverId: string;
  /** Name of the instance on the server. */
  readonly instance: string;
}

/** Throws if the daemon that keeps the log cannot be asked now. */
export function requireReachable(server: ServerState | undefined): void {
  if (!server) throw conflict('id', 'removed', 'its server has been removed, and the log with it.');
  const { name, connected, capabilities } = server;
  if (!connected || capabilities === undefined)
    throw conflict(
      'id',
      'offline',
      `the server ${name}, which keeps this log, is not connected. Start hortusd there or wait until it is back, then try again.`,
    );
  if (!capabilities.includes('streams'))
    throw conflict('id', 'old_daemon', `the daemon of ${name} cannot send logs; update it.`);
}

export const isReachable = (server: ServerState | undefined): boolean =>
  Boolean(server?.connected && server.capabilities?.includes('streams'));
