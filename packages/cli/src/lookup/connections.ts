import type { Client } from '@hortus/client/client';
import type { Connection } from '@hortus/contract/resources/connections';
import { findListed } from './listed.ts';

export const findConnection = (client: Client, given: string): Promise<Connection> =>
  findListed(client.pages('connections.list'), 'connection', given, ({ name }: Connection) => [name]);
