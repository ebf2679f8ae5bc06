import { Changes } from '@hortus/client/changes';
import type { Client } from '@hortus/client/client';
import { deploymentMachine } from '@hortus/contract/machines/deployment';
import type { DeploymentDetail, LogLine } from '@hortus/contract/resources/deployment-records';
import type { World } from '../world/world.ts';
import { poll, type WaitOptions } from './poll.ts';

export interface Progress {
  readonly deployment: DeploymentDetail;
  /** The log so far, and its new lines. */
  readonly logs: readonly LogLine[];
  readonly fresh: readonly LogLine[];
}

/** Lines of the log are no events; they are read in this interval. */
const PROGRESS_MS = 1_000;

export const isOver = (status: string): boolean => (deploymentMachine.final as readonly string[]).includes(status);

/** Reads a deployment with all log lines after a number, page by page. */
export async function readDeployment(client: Client, id: string, after = 0): Promise<DeploymentDetail> {
  const logs: LogLine[] = [];
  for (let from = after; ; ) {
    const { data } = await client.call('deployments.read', { params: { id }, query: { after: from } });
    logs.push(...data.logs);
    const last = data.logs.at(-1);
    if (!data.logs_truncated || last === undefined) return { ...data, logs, logs_truncated: false };
    from = last.number;
  }
}

/** Yields a deployment repeatedly until it has finished. */
export async function* followDeployment(
  client: Client,
  id: string,
  world: World,
  waitOptions: WaitOptions,
): AsyncGenerator<Progress> {
  const logs: LogLine[] = [];
  const ask = () => readDeployment(client, id, logs.at(-1)?.number);
  using changes = new Changes(client, id);
  const announced = { changes, everyMs: PROGRESS_MS };
  for await (const deployment of poll(world, waitOptions, ask, ({ status }) => isOver(status), announced)) {
    logs.push(...deployment.logs);
    yield { deployment: { ...deployment, logs }, logs, fresh: deployment.logs };
  }
}
