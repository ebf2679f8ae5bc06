import type { Client } from '@hortus/client/client';
import type { Definition } from '@hortus/contract/resources/definition-records';
import { Failure } from '../failure.ts';
import { isId } from './by-name.ts';

/** By its uid, which is unique within the account. */
export async function definitionOfUid(client: Client, uid: string): Promise<Definition | undefined> {
  for await (const one of client.pages('definitions.list')) if (one.instance_uid === uid) return one;
  return undefined;
}

export async function findDefinition(client: Client, given: string): Promise<Definition> {
  if (isId('definition', given)) return (await client.call('definitions.read', { params: { id: given } })).data;
  const found = await definitionOfUid(client, given);
  if (found === undefined) throw new Failure('missing', `There is no definition ${given}.`);
  return found;
}
