import type { Client } from '@hortus/client/client';
import type { Deployment } from '@hortus/contract/resources/deployment-records';
import type { Exit } from '../exit-codes.ts';
import { followDeployment, type Progress } from '../following/deployment.ts';
import { progressView } from '../following/show-progress.ts';
import { waiting } from '../orders/asking.ts';
import { printJson } from '../output/json.ts';
import type { World } from '../world/world.ts';
import { instanceOf, printFailure, printSuccess } from './outcome.ts';

interface Asked {
  readonly world: World;
  readonly json: boolean;
  readonly options: { readonly wait: boolean; readonly timeout: string | undefined };
}

/** Reports that the deployment is queued, or follows it and reports its result. */
export async function settleDeployment(
  { world, json, options }: Asked,
  service: Client,
  ordered: Deployment,
  { uid, server }: { readonly uid: string; readonly server: string },
): Promise<Exit> {
  const { terminal } = world;
  const { wait, timeout } = waiting(options);
  const follow = `hortus logs -f --deployment ${ordered.id}`;
  if (!wait) {
    if (json) printJson(terminal, ordered);
    else terminal.out(`Revision ${ordered.revision} of ${uid} is queued as ${ordered.id}. ${follow} follows it.\n`);
    return 'ok';
  }
  world.leaving(`The deployment continues. ${follow} follows it again.`);
  const view = json ? undefined : progressView(world, `waiting for ${server} to start it`);
  const waitOptions = { timeout, unfinished: `${ordered.id} has not finished yet. ${follow} follows it.` };
  let last: Progress | undefined;
  for await (const progress of followDeployment(service, ordered.id, world, waitOptions)) {
    view?.(progress);
    last = progress;
  }
  if (last === undefined) return 'unfinished';
  const { deployment } = last;
  if (json) printJson(terminal, deployment);
  else {
    const instance = await instanceOf(service, deployment);
    const print = deployment.status === 'success' ? printSuccess : printFailure;
    print(terminal, uid, deployment, instance);
  }
  return deployment.status === 'success' ? 'ok' : 'failed';
}
