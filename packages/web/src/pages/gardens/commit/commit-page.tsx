import type { GardenRunChange } from '@hortus/contract/resources/garden-records';
import type { GardenCommitDetail } from '@hortus/contract/resources/garden-source-records';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi, useApiWhen } from '../../../api/query.ts';
import { RecordPage } from '../../../parts/record-page.tsx';
import { Status, type Tone } from '../../../parts/status.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { harmless, shortSha, subjectOf } from '../commit-text.ts';
import { PlanChanges } from '../plan-changes.tsx';
import { CommitFacts } from './commit-facts.tsx';
import { Decide } from './decide.tsx';

/** One commit: its plan or why there is none, the decision, and how it was applied. */
export function CommitPage(): ReactNode {
  const { id, commit } = useParams({ from: '/frame/gardens/$id/commits/$commit' });
  const garden = useApi('gardens.read', { params: { id } });
  const query = useApi('gardens.commit', { params: { id, commit_id: commit } });
  const name = garden.data?.data.name ?? 'Garden';
  return (
    <Loaded query={query} lines={10}>
      {({ data }) => (
        <RecordPage
          title={subjectOf(data)}
          heading={<bdi>{subjectOf(data)}</bdi>}
          crumbs={[
            <Link key="all" to="/gardens">
              Gardens
            </Link>,
            <Link key="garden" to="/gardens/$id" params={{ id }}>
              {name}
            </Link>,
          ]}
          lead={
            <>
              <code>{shortSha(data.sha)}</code> by <bdi>{harmless(data.author)}</bdi>
            </>
          }
          actions={<Decide name={name} commit={data} reread={() => query.refetch()} />}
        >
          <CommitFacts commit={data} />
          {/* A single one stands among the facts. */}
          {(data.problems.length > 1 ? data.problems : []).map(({ field, message }) => (
            <p key={`${field} ${message}`} className="note-box [overflow-wrap:anywhere]">
              <b>{harmless(field)}</b>: {harmless(message)}
            </p>
          ))}
          <Changes commit={data} />
        </RecordPage>
      )}
    </Loaded>
  );
}

const TONES: Readonly<Record<GardenRunChange['state'], Tone>> = {
  waiting: 'wait',
  running: 'now',
  done: 'ok',
  failed: 'bad',
  skipped: 'idle',
};

/** The plan; once it is applied, its run with the state of each change. */
function Changes({ commit: { plan, run_id } }: { commit: GardenCommitDetail }) {
  const run = useApiWhen(run_id !== null, 'gardens.run', { params: { id: run_id ?? '' } }).data?.data;
  if (run)
    return (
      <PlanChanges
        title="Changes"
        counts={run.counts}
        changes={run.changes}
        beside={(change) => <StateOfChange change={change} />}
      />
    );
  return plan && <PlanChanges title="What changes" counts={plan.counts} changes={plan.changes} />;
}

function StateOfChange({ change: { state, error, deployment_id } }: { change: GardenRunChange }) {
  return (
    <span className="ml-auto flex flex-wrap items-center gap-x-3 text-sm">
      {error && <span className="text-bad-ink [overflow-wrap:anywhere]">{harmless(error)}</span>}
      {deployment_id && (
        <Link to="/deployments/$id" params={{ id: deployment_id }} className="link">
          Deployment
        </Link>
      )}
      <Status state={state} tone={TONES[state]} />
    </span>
  );
}
