import { executionMachine } from '@hortus/contract/machines/execution';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { useApi } from '../../../api/query.ts';
import { Filter } from '../../../parts/filters.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Empty, Section } from '../../../parts/page.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { ActionButtons } from './action-buttons.tsx';
import { ExecutionPanel } from './execution-panel.tsx';
import { ExecutionTable } from './execution-table.tsx';

/** What can be run, what was run, and the output of one execution, which is in the URL. */
export function ActionsTab({ about: { instance, actions } }: { about: InstanceOverview }) {
  const [search] = useListSearch('/frame/instances/$id');
  const { page = 1, execution, slug } = search;
  const status = executionMachine.states.find((state) => state === search.status) as
    | StateOf<typeof executionMachine>
    | undefined;
  const query = useApi('actions.history', {
    params: { id: instance.id },
    query: { page, ...(status && { status }), ...(slug && { slug }) },
  });
  return (
    <>
      <Section title="Actions" className="wide-actions mb-8">
        <ActionButtons instance={instance} actions={actions ?? []} />
      </Section>
      {execution && <ExecutionPanel key={execution} id={execution} />}
      <Section
        title="Executions"
        more={
          <span className="flex min-w-0 flex-wrap justify-end gap-2">
            <Filter name="slug" label="Action" options={(actions ?? []).map((action) => action.slug)} />
            <Filter name="status" label="Status" options={executionMachine.states} />
          </span>
        }
      >
        <Loaded query={query} lines={8}>
          {({ data, pagination }) =>
            data.length === 0 ? (
              <Empty title="Nothing was run.">
                Every run of an action is kept here with its output, also those that a schedule or another program
                ordered.
              </Empty>
            ) : (
              <ExecutionTable executions={data} pagination={pagination} />
            )
          }
        </Loaded>
      </Section>
    </>
  );
}
