import { setTimeout as sleep } from 'node:timers/promises';
import type { Follow } from '../../http/handler.ts';
import { writeWhole } from '../../http/live-stream.ts';
import type { Principal } from '../../identity/principal.ts';
import { hasEnded } from './queue.ts';
import type { Deployments } from './service.ts';

/**
 * Pause between two reads. Daemons report in batches of about this interval, so a notice of every report would show
 * nothing earlier, and it would cost every deployment something, watched or not. It grows while nothing happens, so
 * that hundreds of streams of a deployment that waits cost little.
 */
const PAUSE_MS = 300;
const MAX_PAUSE_MS = 2_000;

/** Sends the lines of a log and the deployment after each change, until it has ended. Throws if there is none. */
export async function followDeployment(
  deployments: Pick<Deployments, 'read'>,
  principal: Principal,
  id: string,
  after = 0,
): Promise<Follow> {
  await deployments.read(principal, id, after);
  return async (stream) => {
    let position = after;
    let reported = '';
    let pause = PAUSE_MS;
    while (!stream.signal.aborted) {
      const { logs, logs_truncated, ...deployment } = await deployments.read(principal, id, position);
      for (const line of logs) {
        if (!(await writeWhole(stream, { id: String(line.number), event: 'line', data: line }))) return;
        position = line.number;
      }
      if (logs_truncated) continue;
      const state = JSON.stringify(deployment);
      const isNews = logs.length > 0 || state !== reported;
      if (state !== reported && !(await writeWhole(stream, { event: 'deployment', data: deployment }))) return;
      reported = state;
      if (hasEnded(deployment)) return;
      pause = isNews ? PAUSE_MS : Math.min(MAX_PAUSE_MS, pause * 1.5);
      await sleep(pause, undefined, { signal: stream.signal }).catch(() => undefined);
    }
  };
}
