import { instanceHealthMachine, instanceMachine } from '@hortus/contract/machines/instance';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { counted } from '../../parts/amount.ts';
import { Filter, SearchField } from '../../parts/filters.tsx';
import { Icon } from '../../parts/icon.tsx';
import { type SearchOf, useListSearch } from '../../parts/list-search.ts';
import { Empty, Page } from '../../parts/page.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { useInstanceRows } from './instance-rows.ts';
import { InstanceTable } from './instance-table.tsx';
import { ServerFilter } from './server-filter.tsx';

const FILTERS = ['q', 'status', 'health', 'server_id'] as const;
const isFiltered = (search: SearchOf<'/frame/instances'>) => FILTERS.some((name) => search[name] !== undefined);

export function InstancesPage(): ReactNode {
  const [search, change] = useListSearch('/frame/instances');
  const rows = useInstanceRows(search);
  const clear = () => change(Object.fromEntries(FILTERS.map((name) => [name, undefined])));
  return (
    <Page
      title="Instances"
      sentence={<Sentence matching={isFiltered(search) ? rows.total : undefined} />}
      actions={<Deploy />}
    >
      <div className="filters">
        <SearchField label="Search instances" />
        <Filter name="status" label="Status" options={instanceMachine.states} />
        <Filter name="health" label="Health" options={instanceHealthMachine.states} />
        <ServerFilter />
      </div>
      <Loaded query={rows.first} lines={16}>
        {() =>
          rows.total === 0 ? (
            <Nothing isFiltered={isFiltered(search)} onClear={clear} />
          ) : (
            <>
              <InstanceTable rows={rows} total={rows.reachable} />
              {rows.reachable < (rows.total ?? 0) && (
                <p className="mt-4 text-ink-2">
                  A sorted list ends after {counted(rows.reachable, 'instance')}. Search or filter to find the others.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** "24 instances. One needs you." With a filter: how many of them match. */
function Sentence({ matching }: { matching: number | undefined }) {
  const overview = useApi('overview.read').data?.data;
  const total = overview?.counts.instances;
  if (total == null) return <span>Instances</span>;
  const bad =
    (overview?.by_status?.failed ?? 0) + (overview?.by_status?.lost ?? 0) + (overview?.by_health?.unhealthy ?? 0);
  return (
    <>
      {counted(total, 'instance')}.{' '}
      <em>
        {matching !== undefined
          ? `${matching.toLocaleString()} match.`
          : bad > 0 && `${counted(bad, 'needs', 'need')} you.`}
      </em>
    </>
  );
}

function Deploy() {
  const may = useMay();
  if (!may('deployments:execute') || !may('definitions:write')) return null;
  return (
    <Link to="/catalog" className="btn primary">
      <Icon name="plus" />
      Deploy a species
    </Link>
  );
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered)
    return (
      <Empty
        title="No instance matches."
        action={
          <button type="button" className="btn" onClick={onClear}>
            Clear the filters
          </button>
        }
      >
        Change the search or a filter. Released instances are listed under the status released.
      </Empty>
    );
  return (
    <Empty title="No instances yet." action={<Deploy />}>
      An instance is what runs after a deployment: the containers of a definition on a server. Choose a species in the
      catalog, and its instance appears here.
    </Empty>
  );
}
