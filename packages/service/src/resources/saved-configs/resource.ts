import type { Resource } from '../../resource.ts';
import { savedConfigRoutes } from './routes.ts';
import { SavedConfigs, type SavedConfigsDeps } from './service.ts';

export const resource = {
  tables: ['saved_configs', 'saved_config_secrets'],
  wire: ({ reader, pages, catalog, vault }: SavedConfigsDeps) => ({
    handlers: savedConfigRoutes(new SavedConfigs({ reader, pages, catalog, vault })),
  }),
} satisfies Resource<SavedConfigsDeps>;
