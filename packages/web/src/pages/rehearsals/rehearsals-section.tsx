import type { ReactNode } from 'react';
import { useApi } from '../../api/query.ts';
import { Section } from '../../parts/page.tsx';
import { RehearsalCard } from './rehearsal-card.tsx';

/** The last rehearsals of an upgrade, or the copies of an instance; nothing if there are none. */
export function RehearsalsSection({
  title,
  of,
  more,
}: {
  title: string;
  of: { upgrade_id: string } | { instance_id: string };
  more?: ReactNode;
}) {
  const { data } = useApi('rehearsals.list', { query: { ...of, per_page: 3 } });
  const rehearsals = data?.data ?? [];
  if (rehearsals.length === 0 && !more) return null;
  return (
    <Section title={title} more={more}>
      {rehearsals.map((rehearsal) => (
        <RehearsalCard key={rehearsal.id} rehearsal={rehearsal} />
      ))}
    </Section>
  );
}
