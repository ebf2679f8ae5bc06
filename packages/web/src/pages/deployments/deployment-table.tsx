import type { Deployment } from '@hortus/contract/resources/deployment-records';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/session.ts';
import { took } from '../../parts/durations.ts';
import { useCurrentSearch } from '../../parts/list-search.ts';
import { Status, sentenceCase } from '../../parts/status.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Skeleton } from '../../parts/waiting.tsx';
import { useServers } from '../servers/known-servers.ts';
import { DeploymentLog } from './deployment-log.tsx';
import { RollBack } from './roll-back.tsx';
import { RowActions } from './row-actions.tsx';

const KINDS: Readonly<Record<Deployment['kind'], string>> = {
  deploy: 'Deployment',
  renew: 'New images',
  rollback: 'Rollback',
  heal: 'Repair of drift',
  test: 'Test of a template',
  migrate: 'Move',
};

/** Deployments, newest first. The log of one of them opens above the rows; which one is in the URL. */
export function DeploymentTable({
  deployments,
  pagination,
  nameOf,
}: {
  deployments: readonly Deployment[];
  pagination: { page: number; total: number; total_pages: number };
  nameOf: (definitionId: string) => string;
}) {
  const [{ log }, change] = useCurrentSearch();
  const { nameOf: serverName, isReading } = useServers();
  const may = useMay();
  const [returning, setReturning] = useState<Deployment>();
  const columns: readonly Column<Deployment>[] = [
    {
      name: 'What',
      cell: ({ id, definition_id, revision, kind }) => (
        <>
          <Link to="/deployments/$id" params={{ id }} className="row-link">
            <b>{nameOf(definition_id)}</b>
          </Link>{' '}
          <span className="text-ink-3">
            {kind === 'deploy' ? '' : `${KINDS[kind]}, `}revision {revision}
          </span>
        </>
      ),
    },
    { name: 'Result', cell: (deployment) => <Result deployment={deployment} /> },
    { name: 'Server', wide: true, cell: ({ server_id }) => serverName(server_id) },
    { name: 'Ordered', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> },
    { name: 'Took', wide: true, cell: duration },
    {
      name: '',
      cell: (deployment) => (
        <RowActions
          deployment={deployment}
          onLog={() => change({ log: log === deployment.id ? undefined : deployment.id, page: pagination.page })}
          onRollBack={may('deployments:execute') ? () => setReturning(deployment) : undefined}
        />
      ),
    },
  ];
  return (
    <>
      {typeof log === 'string' && (
        <DeploymentLog key={log} id={log} onClose={() => change({ log: undefined, page: pagination.page })} />
      )}
      {isReading ? (
        <Skeleton lines={12} />
      ) : (
        <Table label="Deployments" columns={columns} rows={deployments} pagination={pagination} />
      )}
      {returning && (
        <RollBack
          deployment={returning}
          name={nameOf(returning.definition_id)}
          onClose={() => setReturning(undefined)}
        />
      )}
    </>
  );
}

/** "Success", "Failed: unhealthy", with the whole error on hover. */
function Result({ deployment: { status, reason, error, cancelling } }: { deployment: Deployment }) {
  if (status === 'running')
    return (
      <Status state={status} tone="now">
        {cancelling ? 'Cancelling' : 'Running'}
      </Status>
    );
  return (
    <Status state={status}>
      <span title={error ?? undefined}>
        {sentenceCase(status)}
        {reason && status === 'failed' && `: ${reason.replaceAll('_', ' ')}`}
      </span>
    </Status>
  );
}

function duration({ started_at, finished_at }: Deployment): string {
  if (started_at === null || finished_at === null) return '–';
  return took(Math.max(0, Date.parse(finished_at) - Date.parse(started_at)));
}
