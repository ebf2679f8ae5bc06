import type { Client } from '@hortus/client/client';
import type { Server } from '@hortus/contract/resources/server-records';
import { Failure } from '../failure.ts';
import { isId, theOne } from './by-name.ts';

export async function findServer(client: Client, reference: string): Promise<Server> {
  if (isId('server', reference)) return (await client.call('servers.read', { params: { id: reference } })).data;
  const all = await Array.fromAsync(client.pages('servers.list'));
  const fitting = all.filter(({ name }) => name === reference);
  const names = all.map(({ name }) => name);
  return theOne('server', reference, fitting, ({ environment, status }) => `${environment}, ${status}`, names);
}

/** Returns the only server; fails if there are several, or if it is not trusted. */
export async function onlyServer(client: Client): Promise<Server> {
  const all = await Array.fromAsync(client.pages('servers.list'));
  const [only, ...others] = all;
  if (only?.trusted === false && others.length === 0) {
    throw new Failure('usage', `The only server, ${only.name}, is not trusted.`, {
      hint: `hortus servers show ${only.name} says why. To use it nevertheless, give --server ${only.name}.`,
    });
  }
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
