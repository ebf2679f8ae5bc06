import { Changes } from '@hortus/client/changes';
import type { Client } from '@hortus/client/client';
import type { Upgrade } from '@hortus/contract/resources/upgrades';
import type { World } from '../world/world.ts';
import { poll, SAFETY_MS, type WaitOptions } from './poll.ts';

const hasEnded = ({ status }: Upgrade): boolean => status === 'applied' || status === 'failed';

/** Waits until an upgrade is applied or has failed, and returns it. */
export async function followUpgrade(
  client: Client,
  begun: Upgrade,
  world: World,
  waitOptions: WaitOptions,
): Promise<Upgrade> {
  const ask = async () => (await client.call('upgrades.read', { params: { id: begun.id } })).data;
  let last = begun;
  using changes = new Changes(client, begun.id);
  for await (const seen of poll(world, waitOptions, ask, hasEnded, { changes, everyMs: SAFETY_MS })) last = seen;
  return last;
}
