import type { Tenant } from '@hortus/contract/resources/tenants';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi, useApiWhen } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { counted } from '../../../parts/amount.ts';
import { Empty, Page, Section } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { useServers } from '../../servers/known-servers.ts';
import { tenantTones } from '../tenant-tones.ts';
import { Migrations } from './migrations.tsx';
import { TenantActions } from './tenant-actions.tsx';

/** One tenant: what it has, where, and its moves. */
export function TenantPage(): ReactNode {
  const { id } = useParams({ from: '/frame/tenants/$id' });
  const query = useApi('tenants.read', { params: { id } });
  const tenant = query.data?.data;
  const may = useMay();
  return (
    <Page
      title={tenant?.name ?? 'Tenant'}
      sentence={
        tenant ? (
          <span className="flex flex-wrap items-baseline gap-3">
            <span className="[overflow-wrap:anywhere]">{tenant.name}</span>
            <span className="font-sans text-md tracking-normal">
              <Status state={tenant.status} tone={tenantTones[tenant.status]} />
            </span>
          </span>
        ) : (
          'Tenant'
        )
      }
      actions={tenant && <TenantActions tenant={tenant} />}
    >
      <Loaded query={query} lines={10}>
        {({ data }) => (
          <>
            <Facts tenant={data} />
            {may('definitions:read') && (
              <>
                <Migrations tenant={data} />
                <Definitions tenantId={data.id} />
              </>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Facts({ tenant }: { tenant: Tenant }) {
  const { nameOf } = useServers();
  const { id, slug, server_id, running_count, instances_count, suspended_at, created_at } = tenant;
  return (
    <dl className="facts mb-9 max-w-[720px]">
      <dt>Server</dt>
      <dd>
        <Link to="/servers/$id" params={{ id: server_id }} className="link">
          {nameOf(server_id)}
        </Link>
      </dd>
      <dt>Runs</dt>
      <dd>
        {running_count} of {counted(instances_count, 'instance')}
      </dd>
      {suspended_at && (
        <>
          <dt>Suspended</dt>
          <dd>
            <Time at={suspended_at} ago />. What ran before starts again when you resume it.
          </dd>
        </>
      )}
      <dt>Short name</dt>
      <dd>
        <code>{slug}</code>
      </dd>
      <dt>Since</dt>
      <dd>
        <Time at={created_at} ago />
      </dd>
      <dt>History</dt>
      <dd>
        <Link to="/events" search={{ tenant_id: id }} className="link">
          Events of this tenant
        </Link>
      </dd>
    </dl>
  );
}

function Definitions({ tenantId }: { tenantId: string }) {
  const query = useApiWhen(true, 'definitions.list', { query: { tenant_id: tenantId, per_page: 100 } });
  return (
    <Section title="Definitions">
      <Loaded query={query} lines={4}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="Nothing is defined for this tenant yet.">
              Deploy a species from the catalog and choose this tenant in its form.
            </Empty>
          ) : (
            <div className="sheet">
              <Table
                label="Definitions of this tenant"
                columns={[
                  {
                    name: 'Name',
                    cell: ({ id, name }) => (
                      <Link to="/definitions/$id" params={{ id }} className="row-link">
                        <b>{name}</b>
                      </Link>
                    ),
                  },
                  {
                    name: 'Species',
                    wide: true,
                    cell: ({ species, template_version }) => `${species} ${template_version}`,
                  },
                  {
                    name: 'State',
                    cell: ({ status }) => <Status state={status} tone={status === 'active' ? 'ok' : 'idle'} />,
                  },
                  { name: 'Revision', wide: true, cell: ({ current_revision }) => current_revision },
                ]}
                rows={data}
              />
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}
