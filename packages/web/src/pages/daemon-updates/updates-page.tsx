import { daemonUpdateMachine } from '@hortus/contract/machines/daemon-update';
import type { DaemonUpdate } from '@hortus/contract/resources/daemon-updates';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../api/query.ts';
import { Filter } from '../../parts/filters.tsx';
import { useListSearch } from '../../parts/list-search.ts';
import { Named } from '../../parts/named.tsx';
import { Empty } from '../../parts/page.tsx';
import { RecordPage } from '../../parts/record-page.tsx';
import { Status } from '../../parts/status.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { progressOf } from './progress.ts';
import { updateTones } from './update-tones.ts';

/** All updates of daemons, newest first. */
export function UpdatesPage(): ReactNode {
  const [search] = useListSearch('/frame/daemon-updates');
  const status = daemonUpdateMachine.states.find((state) => state === search.status);
  const query = useApi('daemon-updates.list', { query: { page: search.page ?? 1, ...(status && { status }) } });
  return (
    <RecordPage
      title="Updates of daemons"
      crumbs={[
        <Link key="servers" to="/servers">
          Servers
        </Link>,
      ]}
    >
      <div className="filters">
        <Filter name="status" label="State" options={daemonUpdateMachine.states} />
      </div>
      <Loaded query={query} lines={4}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title={status ? `No update is ${status}.` : 'No daemon was updated yet.'}>
              When this service has a newer signed daemon, the page of servers offers the update. It goes in stages, and
              a daemon that does not work returns to its old version by itself.
            </Empty>
          ) : (
            <div className="sheet">
              <Table label="Updates of daemons" columns={COLUMNS} rows={data} pagination={pagination} />
            </div>
          )
        }
      </Loaded>
    </RecordPage>
  );
}

const COLUMNS: readonly Column<DaemonUpdate>[] = [
  {
    name: 'Version',
    cell: (update) => (
      <Named also={progressOf(update)}>
        <Link to="/daemon-updates/$id" params={{ id: update.id }} className="row-link">
          <b>Daemons to {update.version}</b>
        </Link>
      </Named>
    ),
  },
  { name: 'State', cell: ({ status }) => <Status state={status} tone={updateTones[status]} /> },
  { name: 'Servers', wide: true, cell: progressOf },
  { name: 'Stage', wide: true, cell: ({ stage, stages }) => `${stage} of ${stages.length}` },
  { name: 'Begun', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> },
];
