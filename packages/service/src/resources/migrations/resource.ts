import type { Resource } from '../../resource.ts';
import type { Tenants } from '../tenants/public.ts';
import { migrationRoutes } from './routes.ts';
import { MIGRATE, type Migrations } from './service.ts';

interface Needs {
  readonly migrations: Migrations;
  readonly tenants: Pick<Tenants, 'migrate'>;
}

export const resource = {
  tables: ['migrations', 'migration_parts', 'migration_log'],
  wire: ({ migrations, tenants }: Needs) => ({
    handlers: migrationRoutes(migrations, tenants),
    jobs: { [MIGRATE]: migrations.job() },
  }),
} satisfies Resource<Needs>;
