import type { Resource } from '../../resource.ts';
import { templateRoutes } from './routes.ts';
import type { VersionsDeps } from './versions.ts';

export const resource = {
  tables: ['templates'],
  wire: ({ catalog, reader, work }: VersionsDeps) => ({ handlers: templateRoutes(catalog, { reader, work }) }),
} satisfies Resource<VersionsDeps>;
