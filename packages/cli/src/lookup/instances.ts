import type { Client } from '@hortus/client/client';
import type { Instance } from '@hortus/contract/resources/instance-records';
import { isId, theOne } from './by-name.ts';

/** Finds an instance by id, uid or name; a released one only if no other matches. */
export async function findInstance(client: Client, reference: string): Promise<Instance> {
  if (isId('instance', reference)) return (await client.call('instances.read', { params: { id: reference } })).data;
  const all = await Array.fromAsync(client.pages('instances.list'));
  const byUid = all.filter(({ instance_uid }) => instance_uid === reference);
  const named = byUid.length > 0 ? byUid : all.filter(({ name }) => name === reference);
  const present = named.filter(({ status }) => status !== 'released');
  const fitting = present.length > 0 ? present : named;
  const uids = all.filter(({ status }) => status !== 'released').map(({ instance_uid }) => instance_uid);
  return theOne('instance', reference, fitting, ({ instance_uid, status }) => `${instance_uid}, ${status}`, uids);
}
