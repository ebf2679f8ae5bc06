import { definitionMachine } from '@hortus/contract/machines/definition';
import type { Definition } from '@hortus/contract/resources/definition-records';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../api/query.ts';
import { counted } from '../../parts/amount.ts';
import { Filter, SearchField } from '../../parts/filters.tsx';
import { useListSearch } from '../../parts/list-search.ts';
import { Mark } from '../../parts/mark.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Status, sentenceCase } from '../../parts/status.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Loaded, Skeleton } from '../../parts/waiting.tsx';
import { ServerFilter } from '../instances/server-filter.tsx';
import { useServers } from '../servers/known-servers.ts';

const STATUSES = [...definitionMachine.states, 'all'] as const;

export function DefinitionsPage(): ReactNode {
  const [search] = useListSearch('/frame/definitions');
  const { q, page = 1, server_id } = search;
  const status = STATUSES.find((status) => status === search.status);
  const query = useApi('definitions.list', {
    query: { page, ...(q && { q }), ...(status && { status }), ...(server_id && { server_id }) },
  });
  const isFiltered = Boolean(q || status || server_id);
  const total = query.data?.pagination.total;
  return (
    <Page
      title="Definitions"
      sentence={
        total === undefined ? (
          'Definitions'
        ) : (
          <>
            {counted(total, 'definition')}
            {isFiltered ? ' match.' : '.'} <em>What is to run, with every revision of it.</em>
          </>
        )
      }
    >
      <div className="filters">
        <SearchField label="Search definitions" />
        <Filter name="status" label="Status" options={STATUSES} />
        <ServerFilter />
      </div>
      <Loaded query={query} lines={12}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title={isFiltered ? 'No definition matches.' : 'No definitions yet.'}>
              {isFiltered
                ? 'Change the search or a filter. Archived definitions are listed under the status archived.'
                : 'A definition is a species with your settings on a server. Deploying it makes an instance; every change makes a revision that you can return to.'}
            </Empty>
          ) : (
            <Definitions definitions={data} pagination={pagination} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Definitions({
  definitions,
  pagination,
}: {
  definitions: readonly Definition[];
  pagination: { page: number; total: number; total_pages: number };
}) {
  const { nameOf: serverName, isReading } = useServers();
  const columns: readonly Column<Definition>[] = [
    {
      name: 'Name',
      cell: ({ id, name, species, family }) => (
        <span className="flex items-center gap-3 py-1.5">
          <Mark species={species} family={family} size={32} />
          <span className="min-w-0">
            <Link to="/definitions/$id" params={{ id }} className="row-link block truncate font-[550]">
              {name}
            </Link>
            <span className="block truncate text-xs text-ink-3">{species}</span>
          </span>
        </span>
      ),
    },
    {
      name: 'Status',
      cell: ({ status }) => (
        <Status state={status} tone={status === 'active' ? 'ok' : status === 'pending' ? 'wait' : 'idle'}>
          {sentenceCase(status)}
        </Status>
      ),
    },
    { name: 'Server', wide: true, cell: ({ server_id }) => serverName(server_id) },
    { name: 'Revision', wide: true, cell: ({ current_revision }) => current_revision },
    { name: 'Version', wide: true, cell: ({ template_version }) => template_version },
    { name: 'Changed', wide: true, cell: ({ updated_at }) => <Time at={updated_at} ago /> },
  ];
  if (isReading) return <Skeleton lines={12} />;
  return <Table label="Definitions" columns={columns} rows={definitions} pagination={pagination} />;
}
