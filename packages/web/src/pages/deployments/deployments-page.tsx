import { deploymentMachine } from '@hortus/contract/machines/deployment';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { ReactNode } from 'react';
import { useApi, useApiWhen } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { counted } from '../../parts/amount.ts';
import { Button } from '../../parts/button.tsx';
import { Filter } from '../../parts/filters.tsx';
import { useListSearch } from '../../parts/list-search.ts';
import { Empty, Page } from '../../parts/page.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { ServerFilter } from '../instances/server-filter.tsx';
import { DeploymentTable } from './deployment-table.tsx';

export function DeploymentsPage(): ReactNode {
  const [search, change] = useListSearch('/frame/deployments');
  const { page = 1, server_id, definition_id } = search;
  const status = deploymentMachine.states.find((state) => state === search.status) as
    | StateOf<typeof deploymentMachine>
    | undefined;
  const query = useApi('deployments.list', {
    query: {
      page,
      ...(status && { status }),
      ...(server_id && { server_id }),
      ...(definition_id && { definition_id }),
    },
  });
  const nameOf = useDefinitionName();
  const isFiltered = Boolean(status || server_id || definition_id);
  const running = useApi('overview.read').data?.data.counts.deployments ?? 0;
  return (
    <Page
      title="Deployments"
      sentence={
        <>
          {running === 0 ? 'Nothing is rolling out.' : `${counted(running, 'deployment')} rolling out.`}{' '}
          <em>
            {query.data && `${counted(query.data.pagination.total, 'deployment')} ${isFiltered ? 'match' : 'in all'}.`}
          </em>
        </>
      }
    >
      <div className="filters">
        <Filter name="status" label="Status" options={deploymentMachine.states} />
        <ServerFilter />
        {definition_id && (
          <Button onClick={() => change({ definition_id: undefined })}>Only {nameOf(definition_id)} ×</Button>
        )}
      </div>
      <Loaded query={query} lines={12}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title={isFiltered ? 'No deployment matches.' : 'Nothing was deployed yet.'}>
              {isFiltered
                ? 'Change a filter.'
                : 'Every rollout of a revision is recorded here with its steps, its log and its result, and can be rolled back.'}
            </Empty>
          ) : (
            <DeploymentTable deployments={data} pagination={pagination} nameOf={nameOf} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** Names of definitions: those of living instances are known already, others are read once. */
function useDefinitionName(): (id: string) => string {
  const may = useMay();
  const instances = useApi('overview.read').data?.data.instances ?? [];
  const definitions = useApiWhen(may('definitions:read'), 'definitions.list', {
    query: { status: 'all', per_page: 100 },
  });
  const names = new Map([
    ...(definitions.data?.data ?? []).map(({ id, name }) => [id, name] as const),
    ...instances.map(({ definition_id, name }) => [definition_id, name] as const),
  ]);
  return (id) => names.get(id) ?? id;
}
