import type { Resource } from '../../resource.ts';
import type { Catalog } from '../templates/public.ts';
import { type Exports, FETCH } from './exports.ts';
import { IMPORT } from './job.ts';
import { importRoutes } from './routes.ts';
import type { Imports } from './service.ts';

interface Needs {
  readonly catalog: Pick<Catalog, 'takenUp'>;
  readonly exports: Exports;
  readonly imports: Imports;
}

export const resource = {
  tables: ['imports'],
  wire: ({ catalog, exports, imports }: Needs) => ({
    handlers: importRoutes(exports, imports, catalog),
    jobs: { [FETCH]: exports.job(), [IMPORT]: imports.job() },
  }),
} satisfies Resource<Needs>;
