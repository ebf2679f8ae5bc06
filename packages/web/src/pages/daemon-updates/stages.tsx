import type { DaemonUpdateDetail, UpdateTarget } from '@hortus/contract/resources/daemon-updates';
import { Link } from '@tanstack/react-router';
import { counted } from '../../parts/amount.ts';
import { Section } from '../../parts/page.tsx';
import { Status, Tag } from '../../parts/status.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { targetTones } from './update-tones.ts';

/** The servers of an update by stage, each with its state and why it failed. */
export function Stages({ update: { stages, stage, targets, status } }: { update: DaemonUpdateDetail }) {
  return (
    <>
      {stages.map(({ number, servers, done, failed }) => (
        <Section
          key={number}
          title={`Stage ${number}`}
          note={noteOf(number === stage && status === 'running', number > stage, servers, done, failed)}
          className="mb-9"
        >
          <div className="sheet">
            <Table
              label={`Servers of stage ${number}`}
              columns={COLUMNS}
              rows={targets.filter((target) => target.stage === number)}
            />
          </div>
        </Section>
      ))}
    </>
  );
}

function noteOf(isCurrent: boolean, isLater: boolean, servers: number, done: number, failed: number): string {
  if (isLater) return `${counted(servers, 'server')}, after the stage before`;
  const result = `${done} of ${counted(servers, 'server')} done${failed > 0 ? `, ${failed} failed` : ''}`;
  return isCurrent ? `${result}, under way` : result;
}

const COLUMNS: readonly Column<UpdateTarget>[] = [
  {
    name: 'Server',
    cell: ({ server_id, server_name, environment, error }) => (
      <span className="block min-w-0">
        <span className="inline-flex flex-wrap items-center gap-2">
          <Link to="/servers/$id" params={{ id: server_id }} className="row-link">
            <b className="[overflow-wrap:anywhere]">{server_name}</b>
          </Link>
          <Tag>{environment}</Tag>
        </span>
        {error && <span className="block text-bad-ink [overflow-wrap:anywhere]">{error}</span>}
      </span>
    ),
  },
  { name: 'State', cell: ({ status }) => <Status state={status} tone={targetTones[status]} /> },
  { name: 'From', wide: true, cell: ({ from_version }) => from_version ?? '–' },
  { name: 'Last change', wide: true, cell: ({ updated_at }) => <Time at={updated_at} ago /> },
];
