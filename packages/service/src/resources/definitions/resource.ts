import type { Resource } from '../../resource.ts';
import type { Storage } from '../../storage/storage.ts';
import { INDEX_NAMES, indexNamesJob } from './index-names.ts';
import { definitionRoutes } from './routes.ts';
import type { Definitions } from './service.ts';

interface Needs {
  readonly storage: Storage;
  readonly definitions: Definitions;
}

export const resource = {
  tables: ['definitions', 'revisions', 'revision_bindings', 'definition_secrets'],
  wire: ({ storage, definitions }: Needs) => ({
    handlers: definitionRoutes(definitions),
    jobs: storage.engine === 'sqlite' ? { [INDEX_NAMES]: indexNamesJob(storage) } : {},
  }),
} satisfies Resource<Needs>;
