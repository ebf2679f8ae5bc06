import type { Client } from '@hortus/client/client';
import type { Upgrade } from '@hortus/contract/resources/upgrades';
import { isId, theOne } from './by-name.ts';

/** Finds an upgrade by id, or the open upgrade of an instance by its name. */
export async function findUpgrade(client: Client, reference: string): Promise<Upgrade> {
  if (isId('upgrade', reference)) return (await client.call('upgrades.read', { params: { id: reference } })).data;
  const all = await Array.fromAsync(client.pages('upgrades.list'));
  const named = all.filter(({ instance_name, status }) => instance_name === reference && status !== 'applied');
  const names = all.map(({ instance_name }) => instance_name);
  return theOne('upgrade', reference, named, ({ to_version, status }) => `to ${to_version}, ${status}`, names);
}
