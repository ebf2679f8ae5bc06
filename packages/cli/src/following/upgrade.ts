import { Changes } from '@hortus/client/changes';
import type { Client } from '@hortus/client/client';
import type { Upgrade } from '@hortus/contract/resources/upgrades';
import type { World } from '../world.ts';
import { type Patience, poll, SAFETY_MS } from './poll.ts';

const hasEnded = ({ status }: Upgrade): boolean => status === 'applied' || status === 'failed';

/** Waits until an upgrade is applied or has failed, and returns it. */
export async function followUpgrade(
  client: Client,
  begun: Upgrade,
  world: World,
  patience: Patience,
): Promise<Upgrade> {
  const ask = async () => (await client.call('upgrades.read', { params: { id: begun.id } })).data;
  let last = begun;
  using changes = new Changes(client, begun.id);
  for await (const seen of poll(world, patience, ask, hasEnded, { changes, everyMs: SAFETY_MS })) last = seen;
  return last;
}
