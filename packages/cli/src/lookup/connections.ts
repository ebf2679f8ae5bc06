import type { Client } from '@hortus/client/client';
import type { Connection } from '@hortus/contract/resources/connections';
import { findListed } from './listed.ts';

export const findConnection = (client: Client, reference: string): Promise<Connection> =>
  findListed(client.pages('connections.list'), 'connection', reference, ({ name }: Connection) => [name]);
