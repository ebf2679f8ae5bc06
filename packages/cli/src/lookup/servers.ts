import type { Client } from '@hortus/client/client';
import type { Server } from '@hortus/contract/resources/server-records';
import { Failure } from '../failure.ts';
import { isId, theOne } from './by-name.ts';

export async function findServer(client: Client, given: string): Promise<Server> {
  if (isId('server', given)) return (await client.call('servers.read', { params: { id: given } })).data;
  const all = await Array.fromAsync(client.pages('servers.list'));
  const fitting = all.filter(({ name }) => name === given);
  const names = all.map(({ name }) => name);
  return theOne('server', given, fitting, ({ environment, status }) => `${environment}, ${status}`, names);
}

/** Returns the only server; fails if there are several. */
export async function onlyServer(client: Client): Promise<Server> {
  const all = await Array.fromAsync(client.pages('servers.list'));
  const [only, ...others] = all;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) {
    throw new Failure('usage', 'No server is registered yet.', {
      hint: 'hortus servers register makes one known.',
    });
  }
  throw new Failure('usage', 'Choose a server with --server.', {
    hint: `Available: ${all.map(({ name }) => name).join(', ')}.`,
  });
}

/** Maps ids to names for tables. Loads all servers, because an account has few. */
export async function serverNames(client: Client): Promise<(id: string) => string> {
  const names = new Map<string, string>();
  for await (const { id, name } of client.pages('servers.list')) names.set(id, name);
  return (id) => names.get(id) ?? id;
}
