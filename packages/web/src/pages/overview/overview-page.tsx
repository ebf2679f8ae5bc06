import type { Overview } from '@hortus/contract/resources/overview';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { Icon } from '../../parts/icon.tsx';
import { Page } from '../../parts/page.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { Attention, troublesOf } from './attention.tsx';
import { FirstSteps } from './first-steps.tsx';
import { HealthRow } from './health-row.tsx';
import { RecentEvents } from './recent-events.tsx';
import { RollingOut } from './rolling-out.tsx';
import { sentenceOf } from './sentence.ts';
import { ServerCards } from './server-cards.tsx';

export function OverviewPage(): ReactNode {
  const query = useApi('overview.read');
  const overview = query.data?.data;
  if (overview && overview.counts.instances === 0 && overview.deployments?.length === 0)
    return <FirstSteps overview={overview} />;
  const [said, secondThought] = overview ? sentenceOf(overview, troublesOf(overview).length) : [];
  return (
    <Page
      title="Overview"
      sentence={
        overview ? (
          <>
            {said}
            <br />
            <em>{secondThought}</em>
          </>
        ) : (
          // As high as the two lines that will be here.
          <span className="block h-[2lh]">
            <span className="sr-only">Overview</span>
          </span>
        )
      }
      actions={<Doing />}
    >
      <Loaded query={query} lines={12}>
        {({ data }) => <Garden overview={data} />}
      </Loaded>
    </Page>
  );
}

/** The buttons of the page: only those that the person may use. */
function Doing() {
  const may = useMay();
  return (
    <>
      {may('servers:write') && (
        <Link to="/servers" className="btn max-phone:hidden">
          Register server
        </Link>
      )}
      {may('deployments:execute') && may('definitions:write') && (
        <Link to="/catalog" className="btn primary">
          <Icon name="plus" />
          Deploy a species
        </Link>
      )}
    </>
  );
}

function Garden({ overview }: { overview: Overview }) {
  return (
    <>
      <HealthRow overview={overview} />
      <Attention overview={overview} />
      {/* On a phone the running deployment comes first, then the servers. */}
      <div className="overview-columns">
        <ServerCards overview={overview} />
        <RollingOut deployments={overview.deployments ?? []} servers={overview.servers ?? []} />
        <RecentEvents overview={overview} />
      </div>
    </>
  );
}
