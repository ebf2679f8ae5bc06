import type { Client } from '@hortus/client/client';
import type { Instance } from '@hortus/contract/resources/instance-records';
import { isId, theOne } from './by-name.ts';

/** Finds an instance by id, uid or name; a released one only if no other matches. */
export async function findInstance(client: Client, given: string): Promise<Instance> {
  if (isId('instance', given)) return (await client.call('instances.read', { params: { id: given } })).data;
  const all = await Array.fromAsync(client.pages('instances.list'));
  const byUid = all.filter(({ instance_uid }) => instance_uid === given);
  const named = byUid.length > 0 ? byUid : all.filter(({ name }) => name === given);
  const present = named.filter(({ status }) => status !== 'released');
  const fitting = present.length > 0 ? present : named;
  const uids = all.filter(({ status }) => status !== 'released').map(({ instance_uid }) => instance_uid);
  return theOne('instance', given, fitting, ({ instance_uid, status }) => `${instance_uid}, ${status}`, uids);
}
