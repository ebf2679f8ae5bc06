import { tenantMachine } from '@hortus/contract/machines/tenant';
import type { Tenant } from '@hortus/contract/resources/tenants';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { Filter } from '../../../parts/filters.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Named } from '../../../parts/named.tsx';
import { Empty, Page } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { useServers } from '../../servers/known-servers.ts';
import { tenantTones } from '../tenant-tones.ts';
import { CreateTenant } from './create-tenant.tsx';

/** Tenants of the account: each a group of definitions on one server that is suspended or moved as a whole. */
export function TenantsPage(): ReactNode {
  const [search, change] = useListSearch('/frame/tenants');
  const status = tenantMachine.states.find((state) => state === search.status);
  const query = useApi('tenants.list', { query: { page: search.page ?? 1, ...(status && { status }) } });
  const mayChange = useMay()('tenants:write');
  const { nameOf } = useServers();
  const total = query.data?.pagination.total;
  const add = mayChange && (
    <Button kind="primary" onClick={() => change({ new: 'tenant' })}>
      <Icon name="plus" />
      Create a tenant…
    </Button>
  );
  return (
    <Page
      title="Tenants"
      sentence={total ? `${counted(total, 'tenant')}.` : 'Tenants'}
      actions={total || status ? add : undefined}
    >
      {(Boolean(total) || status) && (
        <div className="filters">
          <Filter name="status" label="State" options={tenantMachine.states} />
        </div>
      )}
      <Loaded query={query} lines={6}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title={status ? `No tenant is ${status}.` : 'No tenants yet.'} action={!status && add}>
              A tenant is one customer: a group of definitions on one server. You suspend, resume or move all of it at
              once.
            </Empty>
          ) : (
            <div className="sheet">
              <Table label="Tenants" columns={columns(nameOf)} rows={data} pagination={pagination} />
            </div>
          )
        }
      </Loaded>
      {mayChange && search.new === 'tenant' && <CreateTenant onClose={() => change({ new: undefined })} />}
    </Page>
  );
}

const columns = (nameOf: (id: string) => string): readonly Column<Tenant>[] => [
  {
    name: 'Name',
    cell: ({ id, name, server_id, running_count, instances_count }) => (
      <Named also={`${nameOf(server_id)}, ${running_count} of ${instances_count} run`}>
        <Link to="/tenants/$id" params={{ id }} className="row-link">
          <b>{name}</b>
        </Link>
      </Named>
    ),
  },
  { name: 'State', cell: ({ status }) => <Status state={status} tone={tenantTones[status]} /> },
  { name: 'Server', wide: true, cell: ({ server_id }) => nameOf(server_id) },
  { name: 'Definitions', wide: true, cell: ({ definitions_count }) => definitions_count },
  {
    name: 'Runs',
    wide: true,
    cell: ({ running_count, instances_count }) => `${running_count} of ${counted(instances_count, 'instance')}`,
  },
  { name: 'Since', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> },
];
