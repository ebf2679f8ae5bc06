import type { Execution } from '@hortus/contract/resources/actions';
import { Link } from '@tanstack/react-router';
import { took } from '../../../parts/durations.ts';
import { Status, sentenceCase } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';

const columns: readonly Column<Execution>[] = [
  {
    name: 'Action',
    cell: ({ id, name }) => (
      <Link from="/instances/$id" search={(now) => ({ ...now, tab: 'actions', execution: id })} className="row-link">
        <b>{name}</b>
      </Link>
    ),
  },
  {
    name: 'By',
    wide: true,
    cell: ({ kind, created_by }) => (kind === 'scheduled' ? 'Schedule' : <By id={created_by} />),
  },
  { name: 'Started', wide: true, cell: ({ started_at, created_at }) => <Time at={started_at ?? created_at} ago /> },
  { name: 'Took', wide: true, cell: duration },
  { name: 'Result', cell: (execution) => <Result execution={execution} /> },
];

/** Executions, newest first; a row opens its output. */
export function ExecutionTable({
  executions,
  pagination,
}: {
  executions: readonly Execution[];
  pagination?: { page: number; total: number; total_pages: number };
}) {
  return (
    <div className="sheet">
      <Table label="Executions" columns={columns} rows={executions} {...(pagination && { pagination })} />
    </div>
  );
}

/** "Timed out", "Failed with exit code 1", "Running". */
export function Result({ execution: { status, exit_code, cancelling } }: { execution: Execution }) {
  const words =
    status === 'failed' && exit_code !== null && exit_code !== 0
      ? `Failed with exit code ${exit_code}`
      : cancelling && status === 'running'
        ? 'Cancelling'
        : sentenceCase(status);
  return status === 'running' ? (
    <Status state={status} tone="now">
      {words}
    </Status>
  ) : (
    <Status state={status}>{words}</Status>
  );
}

function By({ id }: { id: string | null }) {
  if (id === null) return 'Hortus';
  return <span title={id}>{id.startsWith('key_') ? 'An API key' : id.startsWith('usr_') ? 'A member' : id}</span>;
}

function duration({ started_at, finished_at }: Execution): string {
  if (started_at === null || finished_at === null) return '–';
  return took(Math.max(0, Date.parse(finished_at) - Date.parse(started_at)));
}
