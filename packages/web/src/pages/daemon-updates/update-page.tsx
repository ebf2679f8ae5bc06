import type { DaemonUpdateDetail } from '@hortus/contract/resources/daemon-updates';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useApi } from '../../api/query.ts';
import { mayRefresh } from '../../api/rate-budget.ts';
import { counted } from '../../parts/amount.ts';
import { Section } from '../../parts/page.tsx';
import { RecordPage } from '../../parts/record-page.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { progressOf } from './progress.ts';
import { Stages } from './stages.tsx';
import { UpdateActions } from './update-actions.tsx';
import { updateTones } from './update-tones.ts';

/** Only results are events; the steps of a daemon are seen by reading. */
const EVERY_MS = 2_000;

const isMoving = ({ status, targets }: DaemonUpdateDetail): boolean =>
  status === 'running' ||
  targets.some((target) => ['ordered', 'downloading', 'verified', 'trying'].includes(target.status));

/** One update of daemons: its stages with the state of each server, and the decision if it is halted. */
export function UpdatePage(): ReactNode {
  const { id } = useParams({ from: '/frame/daemon-updates/$id' });
  const query = useApi('daemon-updates.read', { params: { id } });
  const { refetch } = query;
  const moving = query.data !== undefined && isMoving(query.data.data);
  useEffect(() => {
    if (!moving) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && mayRefresh()) void refetch();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [moving, refetch]);
  return (
    <Loaded query={query} lines={8}>
      {({ data }) => <OneUpdate update={data} reread={() => refetch()} />}
    </Loaded>
  );
}

function OneUpdate({ update, reread }: { update: DaemonUpdateDetail; reread: () => Promise<unknown> }) {
  const { version, status, error, created_at, finished_at, max_failed, left_out } = update;
  return (
    <RecordPage
      title={`Daemons to ${version}`}
      crumbs={[
        <Link key="servers" to="/servers">
          Servers
        </Link>,
        <Link key="updates" to="/daemon-updates">
          Updates of daemons
        </Link>,
      ]}
      lead={
        <span className="flex flex-wrap gap-x-4">
          <Status state={status} tone={updateTones[status]} />
          <span>{progressOf(update)}</span>
          <span>
            begun <Time at={created_at} ago />
            {finished_at && (
              <>
                , ended <Time at={finished_at} ago />
              </>
            )}
          </span>
        </span>
      }
      actions={<UpdateActions update={update} reread={reread} />}
    >
      {status === 'halted' && (
        <div className="note-box" role="alert">
          <p>
            <b>The rest is halted.</b> {error}
          </p>
          <p>
            Containers keep running on every server. Continue to accept the failures and update the remaining servers,
            or cancel to leave them as they are.
          </p>
        </div>
      )}
      {status === 'failed' && error && <p className="note-box">{error}</p>}
      {max_failed > 0 && <p className="mb-6 text-ink-2">{counted(max_failed, 'server')} may fail.</p>}
      <Stages update={update} />
      {left_out.length > 0 && (
        <Section title="Left out">
          <ul className="text-ink-2">
            {left_out.map(({ server_id, message }) => (
              <li key={server_id}>{message}</li>
            ))}
          </ul>
        </Section>
      )}
    </RecordPage>
  );
}
