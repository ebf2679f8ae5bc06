import { Problem } from '../../problem.ts';
import { platformOf } from './record.ts';
import type { ServerRow } from './store.ts';

/** Limits the writes caused by a daemon that keeps trying. */
const REFUSED_EVERY_MS = 60_000;

/**
 * Refuses a daemon that drives the wrong kind of engine: without `--cluster` a member would act as if it led, and with it
 * the daemon of an ordinary server would wait to lead. Both texts fit into the reason of a WebSocket close (123 bytes).
 */
export function modeRefusal(kind: ServerRow['kind'], capabilities: readonly string[]): Problem | undefined {
  const isMember = capabilities.includes('cluster');
  if (kind === 'cluster' && !isMember)
    return new Problem('FORBIDDEN', 'This is the key of a cluster: start hortusd with --cluster on a Swarm manager.', {
      reason: 'capability',
    });
  if (kind !== 'cluster' && isMember)
    return new Problem('FORBIDDEN', 'This server is not a cluster: start hortusd without --cluster, or register one.', {
      reason: 'capability',
    });
  return undefined;
}

/** Returns the platform with the refusal; undefined if the row shows it already. */
export function withRefusal(
  row: Pick<ServerRow, 'daemon_platform'>,
  { message: reason }: Problem,
  now: number,
): string | undefined {
  const platform = platformOf(row);
  const { refused } = platform;
  if (refused?.reason === reason && now - refused.at < REFUSED_EVERY_MS) return undefined;
  return JSON.stringify({ ...platform, refused: { reason, at: now } });
}
