import type { Garden } from '@hortus/contract/resources/gardens';
import { useApi } from '../../../api/query.ts';
import { Empty } from '../../../parts/page.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { shortSha, subjectOf } from '../commit-text.ts';
import { PlanChanges } from '../plan-changes.tsx';

/** What differs from the commit that was applied last. */
export function DriftTab({ garden }: { garden: Garden }) {
  const query = useApi('gardens.drift', { params: { id: garden.id } });
  return (
    <Loaded query={query} lines={6}>
      {({ data: { commit, plan } }) => {
        if (commit === null || plan === null)
          return <Empty title="No commit was applied yet.">Then this compares it with what exists.</Empty>;
        if (plan.changes.length === 0 && plan.problems.length === 0)
          return (
            <Empty title="No drift.">
              Everything is as <bdi>{subjectOf(commit)}</bdi> ({shortSha(commit.sha)}) says. What is changed by hand is
              listed here.
            </Empty>
          );
        return (
          <>
            <p className="mb-5 max-w-[62ch] text-ink-2">
              These changes would bring back what <bdi>{subjectOf(commit)}</bdi> ({shortSha(commit.sha)}) says. Plan the
              newest commit again to apply them.
            </p>
            {plan.problems.map(({ field, message }) => (
              <p key={`${field} ${message}`} className="note-box [overflow-wrap:anywhere]">
                <b>{field}</b>: {message}
              </p>
            ))}
            <PlanChanges title="Drift" counts={plan.counts} changes={plan.changes} />
          </>
        );
      }}
    </Loaded>
  );
}
