import type { Resource } from '../../resource.ts';
import { connectionRoutes, type ListProviders } from './routes.ts';
import type { Connections } from './service.ts';

interface Needs {
  readonly connections: Connections;
  readonly definitions: { readonly providers: ListProviders };
}

export const resource = {
  tables: ['connections', 'connection_attributes'],
  wire: ({ connections, definitions }: Needs) => ({
    handlers: connectionRoutes(connections, (...args) => definitions.providers(...args)),
  }),
} satisfies Resource<Needs>;
