import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, type ProcessIdentity } from '../process/process-identity.ts';
import type { UpdateStore } from './update-record.ts';

/**
 * Ends the trial of a daemon that was killed meanwhile, so that its candidate does not run beside this process. Throws if that
 * daemon is alive: this process was started by mistake.
 */
export async function endLeftoverTrial(store: UpdateStore): Promise<void> {
  const { trial } = store.record;
  if (!trial) return;
  const { supervisor, candidate } = trial;
  if (!isThisProcess(supervisor) && isAlive(supervisor))
    throw new Error(
      `The daemon with process ${supervisor.pid} is updating itself; wait for it, or stop that process first.`,
    );
  if (candidate && !isThisProcess(candidate)) await end(candidate);
  store.tryToWrite({ trial: undefined });
}

const isThisProcess = ({ pid }: ProcessIdentity): boolean => pid === process.pid;

async function end(candidate: ProcessIdentity): Promise<void> {
  if (!isAlive(candidate)) return;
  process.kill(candidate.pid, 'SIGKILL');
  while (isAlive(candidate)) await sleep(10);
}
