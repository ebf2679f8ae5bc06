import type { Resource } from '../../resource.ts';
import type { Catalog } from '../templates/public.ts';
import { matchRoutes } from './routes.ts';

interface Needs {
  readonly catalog: Catalog;
}

export const resource = {
  wire: ({ catalog }: Needs) => ({ handlers: matchRoutes(catalog) }),
} satisfies Resource<Needs>;
