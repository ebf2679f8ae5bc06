import type { Client } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import type { DeploymentDetail } from '@hortus/contract/resources/deployment-records';
import type { Instance } from '@hortus/contract/resources/instance-records';
import { logLine } from '../following/show-progress.ts';
import { safeLine } from '../output/safe-text.ts';
import { between } from '../output/words.ts';
import type { Terminal } from '../world/terminal.ts';

/** Number of log lines shown after a failure. */
const lastLines = 10;

/** Returns undefined if the key may deploy but not read instances. */
export async function instanceOf(service: Client, { instance_id }: DeploymentDetail): Promise<Instance | undefined> {
  if (instance_id === null) return undefined;
  try {
    return (await service.call('instances.read', { params: { id: instance_id } })).data;
  } catch (error) {
    if (error instanceof ApiProblem) return undefined;
    throw error;
  }
}

export function printSuccess(
  terminal: Terminal,
  uid: string,
  done: DeploymentDetail,
  instance: Instance | undefined,
): void {
  const { revision, started_at, finished_at } = done;
  const state = instance?.health === 'healthy' ? 'is healthy' : 'runs';
  const after = started_at && finished_at ? `, after ${between(started_at, finished_at)}` : '';
  terminal.out(`${uid} ${state} on revision ${revision}${after}.\n`);
  if (instance?.url) terminal.out(`${safeLine(instance.url)}\n`);
}

/** Prints the reason, the revision that still runs, and the end of the log. */
export function printFailure(
  terminal: Terminal,
  uid: string,
  done: DeploymentDetail,
  instance: Instance | undefined,
): void {
  const why = safeLine(done.error ?? '') || `Reason: ${done.reason ?? 'unknown'}.`;
  terminal.note(`Revision ${done.revision} of ${uid} failed. ${why}\n`);
  if (instance?.status === 'running' && instance.revision !== null && instance.revision !== done.revision) {
    terminal.note(`Revision ${instance.revision} keeps running.\n`);
  }
  const lines = done.logs.slice(-lastLines);
  if (lines.length > 0) terminal.note(`\n${lines.map((line) => logLine(terminal, line)).join('\n')}\n\n`);
  terminal.note(`hortus logs --deployment ${done.id} shows the whole log.\n`);
}
