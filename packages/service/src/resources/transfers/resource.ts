import type { Resource } from '../../resource.ts';
import { transferRoutes } from './routes.ts';
import type { Transfers } from './service.ts';

interface Needs {
  readonly transfers: Transfers;
}

export const resource = {
  tables: ['transfers'],
  wire: ({ transfers }: Needs) => ({ handlers: transferRoutes(transfers) }),
} satisfies Resource<Needs>;
