import type { ServerState } from '../servers/public.ts';

/** Why readings are not live, as sent to those who watch. */
export interface Delay {
  readonly reason: 'offline' | 'old_daemon' | 'unreachable';
  readonly text: string;
}

const delays = {
  offline: 'The server is not connected; live readings continue when it is back.',
  old_daemon: 'The daemon of the server cannot send live readings; stored ones follow as they arrive. Update hortusd.',
  unreachable: 'The daemon of the server is not connected for live readings; stored ones follow until it is.',
} as const;

const delayFor = (reason: Delay['reason']): Delay => ({ reason, text: delays[reason] });

const offline = delayFor('offline');
const oldDaemon = delayFor('old_daemon');
export const unreachable = delayFor('unreachable');

/** Undefined if the daemon can send live readings now. */
export function delayOf({ connected, capabilities }: ServerState): Delay | undefined {
  if (!connected) return offline;
  // It only polls, or has lost its connection a moment ago.
  if (capabilities === undefined) return unreachable;
  return capabilities.includes('streams') && capabilities.includes('metrics') ? undefined : oldDaemon;
}
