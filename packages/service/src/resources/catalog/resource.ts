import type { Resource } from '../../resource.ts';
import type { Catalog } from '../templates/public.ts';
import { catalogRoutes } from './routes.ts';

interface Needs {
  readonly catalog: Catalog;
}

export const resource = {
  wire: ({ catalog }: Needs) => ({ handlers: catalogRoutes(catalog) }),
} satisfies Resource<Needs>;
