import type { Resource } from '../../resource.ts';
import type { Catalog } from '../templates/public.ts';
import { taxonomyRoutes } from './routes.ts';

interface Needs {
  readonly catalog: Catalog;
}

export const resource = {
  wire: ({ catalog }: Needs) => ({ handlers: taxonomyRoutes(catalog) }),
} satisfies Resource<Needs>;
