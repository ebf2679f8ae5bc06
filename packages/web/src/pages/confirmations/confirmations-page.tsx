import { confirmationMachine } from '@hortus/contract/machines/confirmation';
import type { Confirmation } from '@hortus/contract/resources/confirmations';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../api/query.ts';
import { counted } from '../../parts/amount.ts';
import { Filter } from '../../parts/filters.tsx';
import { useListSearch } from '../../parts/list-search.ts';
import { Named } from '../../parts/named.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { confirmationTones } from './confirmation-tones.ts';

/** Dangerous calls that assistants ask for. */
export function ConfirmationsPage(): ReactNode {
  const [search] = useListSearch('/frame/confirmations');
  const status = confirmationMachine.states.find((state) => state === search.status);
  const query = useApi('confirmations.list', { query: { page: search.page ?? 1, ...(status && { status }) } });
  const waiting = query.data?.data.filter((item) => item.status === 'pending').length;
  return (
    <Page
      title="Confirmations"
      sentence={waiting ? `${counted(waiting, 'call')} to confirm or reject.` : 'Confirmations'}
    >
      <div className="filters">
        <Filter name="status" label="State" options={confirmationMachine.states} />
      </div>
      <Loaded query={query} lines={4}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title={status ? `No call is ${status}.` : 'Nothing waits for you.'}>
              An assistant cannot archive, release or restore anything by itself. What it asks for appears here, and is
              done only if you confirm it.
            </Empty>
          ) : (
            <div className="sheet">
              <Table label="Confirmations" columns={COLUMNS} rows={data} pagination={pagination} />
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

const COLUMNS: readonly Column<Confirmation>[] = [
  {
    name: 'Call',
    cell: ({ id, title, requested_by_name, requested_by }) => (
      <Named also={requested_by_name ?? requested_by}>
        <Link to="/confirmations/$id" params={{ id }} className="row-link">
          <b>{title}</b>
        </Link>
      </Named>
    ),
  },
  { name: 'State', cell: ({ status }) => <Status state={status} tone={confirmationTones[status]} /> },
  {
    name: 'Requested by',
    wide: true,
    cell: ({ requested_by_name, requested_by }) => requested_by_name ?? requested_by,
  },
  { name: 'Since', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> },
];
