import { Changes } from '@hortus/client/changes';
import type { Client } from '@hortus/client/client';
import { executionMachine } from '@hortus/contract/machines/execution';
import type { Execution } from '@hortus/contract/resources/actions';
import type { World } from '../world/world.ts';
import { poll, SAFETY_MS, type WaitOptions } from './poll.ts';

const hasEnded = (status: string): boolean => (executionMachine.final as readonly string[]).includes(status);

/** Waits for an action to finish and returns it. */
export async function followExecution(
  client: Client,
  execution: Execution,
  world: World,
  waitOptions: WaitOptions,
): Promise<Execution> {
  const ask = async () => (await client.call('actions.read', { params: { execution_id: execution.id } })).execution;
  let last = execution;
  using changes = new Changes(client, execution.id);
  const announced = { changes, everyMs: SAFETY_MS };
  for await (const seen of poll(world, waitOptions, ask, ({ status }) => hasEnded(status), announced)) last = seen;
  return last;
}
