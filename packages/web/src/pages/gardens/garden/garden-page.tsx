import type { Garden } from '@hortus/contract/resources/gardens';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../../api/query.ts';
import { RecordPage } from '../../../parts/record-page.tsx';
import { Tabs, useTab } from '../../../parts/tabs.tsx';
import { Time } from '../../../parts/time.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { CommitsTab } from './commits-tab.tsx';
import { DriftTab } from './drift-tab.tsx';
import { GardenActions } from './garden-actions.tsx';
import { RunsTab } from './runs-tab.tsx';
import { SourceTab } from './source-tab.tsx';

/** One garden: where it comes from, its commits and runs, and what differs from it. */
export function GardenPage(): ReactNode {
  const { id } = useParams({ from: '/frame/gardens/$id' });
  const query = useApi('gardens.read', { params: { id } });
  return (
    <Loaded query={query} lines={10}>
      {({ data }) => <OneGarden garden={data} />}
    </Loaded>
  );
}

const FOLLOWED = [
  { id: 'commits', name: 'Commits' },
  { id: 'drift', name: 'Drift' },
  { id: 'runs', name: 'Runs' },
  { id: 'source', name: 'Source' },
];
const SENT = [{ id: 'runs', name: 'Runs' }];

function OneGarden({ garden }: { garden: Garden }) {
  const { source } = garden;
  const tabs = source ? FOLLOWED : SENT;
  const tab = useTab(tabs);
  return (
    <RecordPage
      title={garden.name}
      crumbs={[
        <Link key="all" to="/gardens">
          Gardens
        </Link>,
      ]}
      lead={<Lead garden={garden} />}
      actions={<GardenActions garden={garden} />}
    >
      {source?.error && (
        <p className="note-box [overflow-wrap:anywhere]">
          The repository could not be read: {source.error} What was applied before stays as it is.
        </p>
      )}
      {source && <Tabs label="Views of the garden" tabs={tabs} />}
      {source && tab === 'commits' && <CommitsTab garden={garden} />}
      {source && tab === 'drift' && <DriftTab garden={garden} />}
      {source && tab === 'source' && <SourceTab source={source} />}
      {tab === 'runs' && <RunsTab garden={garden} />}
    </RecordPage>
  );
}

function Lead({ garden: { source } }: { garden: Garden }) {
  if (source === null) return <>Its file is sent by hortus apply.</>;
  return (
    <span className="[overflow-wrap:anywhere]">
      Follows {source.branch} of {source.url}
      {source.checked_at && (
        <>
          , read <Time at={source.checked_at} ago />
        </>
      )}
      . {source.mode === 'apply' ? 'Each commit is applied at once.' : 'Each commit waits for an approval.'}
    </span>
  );
}
