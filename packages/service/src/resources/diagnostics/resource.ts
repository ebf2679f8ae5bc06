import type { Resource } from '../../resource.ts';
import type { Storage } from '../../storage/storage.ts';
import { diagnosticRoutes } from './routes.ts';
import { ServerDiagnostics } from './service.ts';

interface Needs {
  readonly storage: Pick<Storage, 'reader'>;
  readonly version: string;
}

export const resource = {
  tables: ['server_diagnostics'],
  wire: ({ storage: { reader }, version }: Needs) => ({
    handlers: diagnosticRoutes(new ServerDiagnostics({ reader, version })),
  }),
} satisfies Resource<Needs>;
