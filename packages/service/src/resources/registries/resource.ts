import type { Resource } from '../../resource.ts';
import { registryRoutes } from './routes.ts';
import type { Registries } from './service.ts';

interface Needs {
  readonly registries: Registries;
}

export const resource = {
  tables: ['registries'],
  wire: ({ registries }: Needs) => ({ handlers: registryRoutes(registries) }),
} satisfies Resource<Needs>;
