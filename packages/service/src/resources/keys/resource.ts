import type { Resource } from '../../resource.ts';
import { keyRoutes } from './routes.ts';
import type { Keys } from './service.ts';

interface Needs {
  readonly keys: Keys;
}

export const resource = {
  tables: ['api_keys'],
  wire: ({ keys }: Needs) => ({ handlers: keyRoutes(keys) }),
} satisfies Resource<Needs>;
