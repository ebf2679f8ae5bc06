import type { Client } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import type { Deployment } from '@hortus/contract/resources/deployment-records';
import type { Instance } from '@hortus/contract/resources/instance-records';
import type { Condition, LatestBackups } from './findings.ts';

export interface Gathered {
  readonly condition: Condition;
  /** Permissions that the key lacks: what they cover was not checked. */
  readonly unchecked: readonly string[];
}

/** Rows of deployments or backups that are read to find the newest of each definition. */
const MAX_ROWS = 1_000;

/** Reads what tells the condition of the whole account, or of one instance. */
export async function gather(client: Client, only?: Instance): Promise<Gathered> {
  const unchecked: string[] = [];
  /** Returns `none` if the key lacks the permission, or if a record is gone. */
  const permitted = async <Value>(none: Value, read: () => Promise<Value>): Promise<Value> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      if (error.code === 'FORBIDDEN') unchecked.push(String(error.details.permission));
      // Removed since it was listed.
      else if (error.code !== 'NOT_FOUND') throw error;
      return none;
    }
  };
  const all = <Item>(pages: () => AsyncIterable<Item>) => permitted<Item[]>([], () => Array.fromAsync(pages()));
  const of = only ? { definition_id: only.definition_id } : {};
  const servers = await permitted([], async () =>
    only
      ? [(await client.call('servers.read', { params: { id: only.server_id } })).data]
      : await Array.fromAsync(client.pages('servers.list')),
  );
  const instances = only ? [only] : await all(() => client.pages('instances.list'));
  const definitions = await permitted([], async () =>
    only
      ? [(await client.call('definitions.read', { params: { id: only.definition_id } })).data]
      : await Array.fromAsync(client.pages('definitions.list')),
  );
  const ids = definitions.map(({ id }) => id);
  const scheduled = definitions.filter(({ backup }) => backup.schedule !== 'off').map(({ id }) => id);
  return {
    condition: {
      servers,
      definitions,
      instances: instances.filter(({ status }) => status !== 'released'),
      deployments: await permitted(new Map(), () => newestDeployments(client, of, ids)),
      backups: await permitted(new Map(), () => latestBackups(client, of, scheduled)),
      upgrades: await all(() => client.pages('upgrades.list', { query: of })),
    },
    unchecked: [...new Set(unchecked)],
  };
}

type Of = { readonly definition_id?: string };

async function newestDeployments(client: Client, query: Of, ids: readonly string[]): Promise<Map<string, Deployment>> {
  const newest = new Map<string, Deployment>();
  let rows = 0;
  for await (const deployment of client.pages('deployments.list', { query })) {
    if (!newest.has(deployment.definition_id)) newest.set(deployment.definition_id, deployment);
    if (++rows >= MAX_ROWS || ids.every((id) => newest.has(id))) break;
  }
  return newest;
}

async function latestBackups(
  client: Client,
  query: Of,
  scheduled: readonly string[],
): Promise<Map<string, LatestBackups>> {
  const latest = new Map<string, LatestBackups>();
  let rows = 0;
  for await (const backup of client.pages('backups.list', { query })) {
    const { newest, completed } = latest.get(backup.definition_id) ?? {};
    if (backup.status === 'completed' || backup.status === 'failed')
      latest.set(backup.definition_id, {
        newest: newest ?? backup,
        completed: completed ?? (backup.status === 'completed' ? backup : undefined),
      });
    if (++rows >= MAX_ROWS) break;
    if (scheduled.length > 0 && scheduled.every((id) => latest.get(id)?.completed)) break;
  }
  return latest;
}
