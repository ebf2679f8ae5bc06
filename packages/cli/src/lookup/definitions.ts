import type { Client } from '@hortus/client/client';
import type { Definition } from '@hortus/contract/resources/definition-records';
import { isId, theOne } from './by-name.ts';

/** Finds the active definition with a uid; archived definitions release theirs. */
export async function definitionOfUid(client: Client, uid: string): Promise<Definition | undefined> {
  for await (const page of client.pages('definitions.list')) if (page.instance_uid === uid) return page;
  return undefined;
}

/** Finds a definition by id or uid; an archived one only if no active one has the uid. */
export async function findDefinition(client: Client, reference: string): Promise<Definition> {
  if (isId('definition', reference)) return (await client.call('definitions.read', { params: { id: reference } })).data;
  const uids: string[] = [];
  for await (const page of client.pages('definitions.list')) {
    if (page.instance_uid === reference) return page;
    uids.push(page.instance_uid);
  }
  const archived = await Array.fromAsync(client.pages('definitions.list', { query: { status: 'archived' } }));
  const fitting = archived.filter(({ instance_uid }) => instance_uid === reference);
  return theOne('definition', reference, fitting, ({ created_at }) => `archived, created ${created_at}`, uids);
}
