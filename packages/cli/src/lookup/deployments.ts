import type { Client } from '@hortus/client/client';
import { Failure } from '../failure.ts';
import { isId } from './by-name.ts';
import { findDefinition } from './definitions.ts';

/**
 * Resolves the id of a deployment, or the newest deployment of an instance or definition. Searches uids among the definitions,
 * because a failed first deployment has no instance.
 */
export async function findDeployment(client: Client, given: string): Promise<string> {
  if (isId('deployment', given)) return given;
  const query = { per_page: 1 };
  const { data } = isId('instance', given)
    ? await client.call('instances.deployments', { params: { id: given }, query })
    : await client.call('deployments.list', {
        query: { ...query, definition_id: (await findDefinition(client, given)).id },
      });
  const [newest] = data;
  if (newest === undefined) throw new Failure('missing', `${given} has never been deployed.`);
  return newest.id;
}
