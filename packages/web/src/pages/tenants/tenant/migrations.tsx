import type { Tenant } from '@hortus/contract/resources/tenants';
import { useApi } from '../../../api/query.ts';
import { Section } from '../../../parts/page.tsx';
import { MigrationLine, MigrationReport } from '../../migrations/migration-report.tsx';

/** Moves of a tenant, newest first; the newest with its steps. */
export function Migrations({ tenant }: { tenant: Tenant }) {
  const { data } = useApi('migrations.list', { query: { tenant_id: tenant.id, per_page: 5 } });
  const [newest, ...older] = data?.data ?? [];
  if (!newest) return null;
  return (
    <Section title="Moves" className="mb-9">
      <MigrationReport migration={newest} />
      {older.length > 0 && (
        <ul className="records mt-4">
          {older.map((migration) => (
            <li key={migration.id}>
              <MigrationLine migration={migration} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
