import type { GardenRun } from '@hortus/contract/resources/garden-records';
import type { Garden } from '@hortus/contract/resources/gardens';
import { useApi } from '../../../api/query.ts';
import { useListSearch } from '../../../parts/list-search.ts';
import { Named } from '../../../parts/named.tsx';
import { Empty } from '../../../parts/page.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { harmless } from '../commit-text.ts';
import { RunStatus } from '../garden-states.tsx';
import { countsText } from '../plan-changes.tsx';

/** Runs that applied the garden, newest first. */
export function RunsTab({ garden }: { garden: Garden }) {
  const [search] = useListSearch('/frame/gardens/$id');
  const query = useApi('gardens.runs', { params: { id: garden.id }, query: { page: search.page ?? 1 } });
  return (
    <Loaded query={query} lines={6}>
      {({ data, pagination }) =>
        data.length === 0 ? (
          <Empty title="Nothing was applied yet.">Each time that the garden is applied is listed here.</Empty>
        ) : (
          <div className="sheet">
            <Table label="Runs" columns={COLUMNS} rows={data} pagination={pagination} />
          </div>
        )
      }
    </Loaded>
  );
}

const COLUMNS: readonly Column<GardenRun>[] = [
  {
    name: 'Run',
    cell: ({ id, counts }) => (
      <Named also={countsText(counts)}>
        <code>{id}</code>
      </Named>
    ),
  },
  { name: 'State', cell: ({ status }) => <RunStatus status={status} /> },
  { name: 'Plan', wide: true, cell: ({ counts }) => countsText(counts) },
  {
    name: 'Result',
    wide: true,
    cell: ({ error, done }) => (
      <span className="line-clamp-2 [overflow-wrap:anywhere]">{error === null ? `${done} done` : harmless(error)}</span>
    ),
  },
  { name: 'Begun', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> },
];
