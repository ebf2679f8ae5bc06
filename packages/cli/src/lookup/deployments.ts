import type { Client } from '@hortus/client/client';
import { Failure } from '../failure.ts';
import { isId } from './by-name.ts';
import { findDefinition } from './definitions.ts';

/**
 * Resolves the id of a deployment, or the newest deployment of an instance or definition. Searches uids among the definitions,
 * because a failed first deployment has no instance.
 */
export async function findDeployment(client: Client, reference: string): Promise<string> {
  if (isId('deployment', reference)) return reference;
  const query = { per_page: 1 };
  const { data } = isId('instance', reference)
    ? await client.call('instances.deployments', { params: { id: reference }, query })
    : await client.call('deployments.list', {
        query: { ...query, definition_id: (await findDefinition(client, reference)).id },
      });
  const [newest] = data;
  if (newest === undefined) throw new Failure('missing', `${reference} has never been deployed.`);
  return newest.id;
}
