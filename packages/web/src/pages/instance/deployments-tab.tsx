import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { useApi } from '../../api/query.ts';
import { useListSearch } from '../../parts/list-search.ts';
import { Empty } from '../../parts/page.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { DeploymentTable } from '../deployments/deployment-table.tsx';

/** Everything that was rolled out to this instance. */
export function DeploymentsTab({ about: { instance } }: { about: InstanceOverview }) {
  const [{ page = 1 }] = useListSearch('/frame/instances/$id');
  const query = useApi('instances.deployments', { params: { id: instance.id }, query: { page } });
  return (
    <Loaded query={query} lines={8}>
      {({ data, pagination }) =>
        data.length === 0 ? (
          <Empty title="No deployments.">Older deployments are removed with their logs after a while.</Empty>
        ) : (
          <DeploymentTable deployments={data} pagination={pagination} nameOf={() => instance.name} />
        )
      }
    </Loaded>
  );
}
