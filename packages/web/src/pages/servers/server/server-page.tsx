import type { Server } from '@hortus/contract/resources/server-records';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../../api/query.ts';
import { Page, Section } from '../../../parts/page.tsx';
import { Status, Tag } from '../../../parts/status.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { EvacuationSection } from '../evacuation/evacuation-section.tsx';
import { Room } from '../room.tsx';
import { Facts } from './facts.tsx';
import { Members } from './members/members.tsx';
import { Nodes } from './nodes/nodes.tsx';
import { OverTime } from './over-time.tsx';
import { Runs } from './runs.tsx';
import { ServerActions } from './server-actions.tsx';
import { Warnings } from './warnings.tsx';

/** One server: its room, what runs there, what it is, and what can be done with it. */
export function ServerPage(): ReactNode {
  const { id } = useParams({ from: '/frame/servers/$id' });
  const query = useApi('servers.read', { params: { id } });
  const server = query.data?.data;
  return (
    <Page
      title={server?.name ?? 'Server'}
      sentence={server ? <Heading server={server} /> : 'Server'}
      actions={server && <ServerActions server={server} />}
    >
      <Loaded query={query} lines={12}>
        {({ data }) => <About server={data} />}
      </Loaded>
    </Page>
  );
}

function Heading({ server: { name, environment, status, kind } }: { server: Server }) {
  return (
    <span className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
      <span className="[overflow-wrap:anywhere]">{name}</span>
      <Tag>{environment}</Tag>
      {kind === 'cluster' && <Tag>cluster</Tag>}
      <span className="font-sans text-md tracking-normal">
        <Status state={status} />
      </span>
    </span>
  );
}

function About({ server }: { server: Server }) {
  const overview = useApi('overview.read').data?.data;
  const capacity = overview?.servers?.find(({ id }) => id === server.id)?.capacity;
  const here = overview?.instances?.filter(({ server_id }) => server_id === server.id);
  return (
    <>
      {server.description && <p className="mb-6 max-w-[62ch] text-ink-2">{server.description}</p>}
      <Warnings server={server} />
      <div className="sides">
        <div className="min-w-0">
          <Section title="Room" className="mb-9">
            <div className="sheet columns px-[18px] py-4">
              <Room name={server.name} capacity={capacity} />
            </div>
          </Section>
          {server.kind === 'cluster' && <Nodes server={server} />}
          {server.kind === 'cluster' && <Members server={server} />}
          {server.status !== 'pending' && <OverTime serverId={server.id} />}
          <EvacuationSection serverId={server.id} />
          <Section
            title="What runs here"
            more={
              <Link to="/instances" search={{ server_id: server.id }}>
                All instances
              </Link>
            }
          >
            <Runs instances={here} />
          </Section>
        </div>
        <Section title="Daemon and engine">
          <Facts server={server} />
        </Section>
      </div>
    </>
  );
}
