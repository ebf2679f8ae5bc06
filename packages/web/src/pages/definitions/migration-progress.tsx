import { Link } from '@tanstack/react-router';
import { useApi } from '../../api/query.ts';
import { Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { MigrationReport } from '../migrations/migration-report.tsx';

/** The move of a definition, with the way back to it. */
export function MigrationProgress({ id, name }: { id: string; name: string }) {
  const query = useApi('migrations.read', { params: { id } });
  return (
    <Loaded query={query} lines={8}>
      {({ data }) => (
        <Section title={`Move of ${name}`}>
          <MigrationReport migration={data} />
          {data.status === 'switched' && data.release_at && (
            <p className="mt-3 text-sm text-ink-2">
              The source is cleared <Time at={data.release_at} />.
            </p>
          )}
          <Link to="/definitions/$id" params={{ id: data.definition_ids[0] ?? '' }} className="link mt-4 inline-block">
            Back to {name}
          </Link>
        </Section>
      )}
    </Loaded>
  );
}
