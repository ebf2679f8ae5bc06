import type { Resource } from '../../resource.ts';
import type { Queries } from '../../storage/storage.ts';
import type { ManifestReading } from './reading.ts';
import { manifestRoutes } from './routes.ts';

interface Needs {
  readonly reader: Queries;
  readonly reading: ManifestReading;
}

export const resource = {
  // The signing key is one of the service's named values.
  tables: ['settings'],
  wire: ({ reader, reading }: Needs) => ({ handlers: manifestRoutes(reading, reader) }),
} satisfies Resource<Needs>;
