import type { Client } from '@hortus/client/client';
import type { Exit } from '../exit-codes.ts';
import { findDeployment } from '../lookup/deployments.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import type { World } from '../world/world.ts';
import { followDeployment, isOver, readDeployment } from './deployment.ts';
import { logLine } from './show-progress.ts';

/** Prints the log of a deployment; the exit code of a followed one tells how it ended. */
export async function showDeploymentLog(
  service: Client,
  world: World,
  input: string,
  { follow, json }: { readonly follow: boolean; readonly json: boolean },
): Promise<Exit> {
  const { terminal } = world;
  const id = await findDeployment(service, input);
  let last = follow ? undefined : await readDeployment(service, id);
  if (last && !json) for (const line of last.logs) terminal.out(`${logLine(terminal, line)}\n`);
  if (follow) {
    world.leaving(`The deployment continues. hortus logs -f --deployment ${id} follows it again.`);
    for await (const { deployment, fresh } of followDeployment(service, id, world, { unfinished: '' })) {
      if (!json) for (const line of fresh) terminal.out(`${logLine(terminal, line)}\n`);
      last = deployment;
    }
  }
  if (last === undefined) return 'ok';
  if (last.log_dropped) terminal.note('A part of this log is no longer kept.\n');
  if (json) printJson(terminal, last.logs);
  else if (last.logs.length === 0 && !isOver(last.status)) terminal.note('The log is empty.\n');
  if (!follow || !isOver(last.status)) return 'ok';
  if (last.status === 'success') return 'ok';
  if (!json)
    terminal.note(`${safeLine(last.error ?? `The deployment failed: ${last.reason ?? 'no reason given'}.`)}\n`);
  return 'failed';
}
