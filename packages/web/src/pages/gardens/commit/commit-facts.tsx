import type { GardenCommitDetail } from '@hortus/contract/resources/garden-source-records';
import { Time } from '../../../parts/time.tsx';
import { harmless } from '../commit-text.ts';
import { CommitStatus } from '../garden-states.tsx';

/** Where a commit stands, since when, and why. */
export function CommitFacts({ commit }: { commit: GardenCommitDetail }) {
  const { status, error, sha, committed_at, created_at, finished_at, decided_by } = commit;
  return (
    <dl className="facts mb-9 max-w-[780px]">
      <dt>State</dt>
      <dd>
        <CommitStatus status={status} />
        {status === 'broken' && <p className="text-ink-3">What was applied before stays as it is.</p>}
        {status === 'superseded' && <p className="text-ink-3">A newer commit came first.</p>}
      </dd>
      {error && (
        <>
          <dt>Why</dt>
          <dd className={status === 'broken' || status === 'failed' ? 'text-bad-ink' : undefined}>{harmless(error)}</dd>
        </>
      )}
      <dt>Commit</dt>
      <dd>
        <code>{sha}</code>
      </dd>
      {committed_at && (
        <>
          <dt>Committed</dt>
          <dd>
            <Time at={committed_at} ago />, as it says
          </dd>
        </>
      )}
      <dt>Found</dt>
      <dd>
        <Time at={created_at} ago />
        {finished_at && (
          <>
            , ended <Time at={finished_at} ago />
          </>
        )}
      </dd>
      {decided_by && (
        <>
          <dt>Decided by</dt>
          <dd>
            <code>{decided_by}</code>
          </dd>
        </>
      )}
    </dl>
  );
}
