import type { Client } from '@hortus/client/client';
import type { Definition } from '@hortus/contract/resources/definition-records';
import { isId, theOne } from './by-name.ts';

/** Finds the active definition with a uid; archived definitions release theirs. */
export async function definitionOfUid(client: Client, uid: string): Promise<Definition | undefined> {
  for await (const one of client.pages('definitions.list')) if (one.instance_uid === uid) return one;
  return undefined;
}

/** Finds a definition by id or uid; an archived one only if no active one has the uid. */
export async function findDefinition(client: Client, given: string): Promise<Definition> {
  if (isId('definition', given)) return (await client.call('definitions.read', { params: { id: given } })).data;
  const uids: string[] = [];
  for await (const one of client.pages('definitions.list')) {
    if (one.instance_uid === given) return one;
    uids.push(one.instance_uid);
  }
  const archived = await Array.fromAsync(client.pages('definitions.list', { query: { status: 'archived' } }));
  const fitting = archived.filter(({ instance_uid }) => instance_uid === given);
  return theOne('definition', given, fitting, ({ created_at }) => `archived, created ${created_at}`, uids);
}
