import type { OverviewServer } from '@hortus/contract/resources/overview';
import type { Server } from '@hortus/contract/resources/server-records';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useApi } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { useCommands } from '../../../frame/commands.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Empty, Page } from '../../../parts/page.tsx';
import { Status, Tag } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { RegisterServer } from '../register/register-server.tsx';
import { NewerDaemon } from '../update/newer-daemon.tsx';
import { UpdateDaemons } from '../update/update-daemons.tsx';
import { BalanceSection } from './balance.tsx';

/** All servers, with their room and what runs there. The room is that of the overview, which is read anyway. */
export function ServersPage(): ReactNode {
  const [search, change] = useListSearch('/frame/servers');
  const query = useApi('servers.list', { query: { page: search.page ?? 1 } });
  const overview = useApi('overview.read').data?.data;
  const mayChange = useMay()('servers:write');
  const begin = () => change({ new: 'server' });
  useCommands(
    // biome-ignore lint/correctness/useExhaustiveDependencies: begin only changes the URL
    useMemo(() => (mayChange ? [{ name: 'Register a server', run: begin }] : []), [mayChange]),
  );
  const register = mayChange && (
    <Button kind="primary" onClick={begin}>
      <Icon name="plus" />
      Register a server…
    </Button>
  );
  const rooms = new Map(overview?.servers?.map((server) => [server.id, server]));
  const running = Map.groupBy(overview?.instances ?? [], ({ server_id }) => server_id);
  return (
    <Page
      title="Servers"
      sentence={<Sentence servers={query.data?.data} total={query.data?.pagination.total} />}
      actions={register}
    >
      <Loaded query={query} lines={8}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No servers yet." action={register}>
              A server is any Linux machine with Docker or Podman. A small daemon on it dials out to this service, so no
              port has to be opened there.
            </Empty>
          ) : (
            <>
              <NewerDaemon servers={data} onUpdate={mayChange ? () => change({ new: 'update' }) : undefined} />
              <div className="sheet">
                <Table
                  label="Servers"
                  columns={columns(rooms, (id) => running.get(id)?.length)}
                  rows={data}
                  pagination={pagination}
                />
              </div>
              <BalanceSection servers={data.length} />
              <p className="mt-4 text-sm">
                <Link to="/daemon-updates" className="link">
                  Updates of daemons
                </Link>
              </p>
            </>
          )
        }
      </Loaded>
      {mayChange && search.new === 'update' && <UpdateDaemons onClose={() => change({ new: undefined })} />}
      {mayChange && search.new === 'server' && <RegisterServer onClose={() => change({ new: undefined })} />}
    </Page>
  );
}

function Sentence({ servers, total }: { servers: readonly Server[] | undefined; total: number | undefined }) {
  if (!servers || total === undefined) return <>Servers</>;
  const down = servers.filter(({ status }) => status === 'offline').length;
  const waiting = servers.filter(({ status }) => status === 'pending').length;
  const second = down > 0 ? `${inWords(down)} offline.` : waiting > 0 ? `${waiting} not connected yet.` : '';
  return (
    <>
      {counted(total, 'server')}. <em>{second}</em>
    </>
  );
}

const inWords = (count: number): string => (count === 1 ? 'One is' : `${count} are`);

const columns = (
  rooms: ReadonlyMap<string, OverviewServer>,
  running: (id: string) => number | undefined,
): readonly Column<Server>[] => [
  {
    name: 'Name',
    cell: ({ id, name, environment, trusted }) => (
      <span className="inline-flex items-center gap-2">
        <Link to="/servers/$id" params={{ id }} className="row-link">
          <b className="[overflow-wrap:anywhere]">{name}</b>
        </Link>
        <Tag>{environment}</Tag>
        {!trusted && <Tag>not trusted</Tag>}
      </span>
    ),
  },
  { name: 'State', cell: ({ status }) => <Status state={status} /> },
  { name: 'CPU', wide: true, cell: ({ id }) => percent(rooms.get(id)?.capacity?.cpu?.used_percent) },
  { name: 'Memory', wide: true, cell: ({ id }) => share(rooms.get(id)?.capacity?.memory) },
  { name: 'Disk', wide: true, cell: ({ id }) => share(rooms.get(id)?.capacity?.disk) },
  { name: 'Runs', wide: true, cell: ({ id }) => counted(running(id) ?? 0, 'instance') },
  { name: 'Engine', wide: true, cell: ({ daemon }) => daemon.engine ?? <span className="text-ink-3">unknown</span> },
  {
    name: 'Last seen',
    wide: true,
    cell: ({ last_seen_at }) =>
      last_seen_at ? <Time at={last_seen_at} ago /> : <span className="text-ink-3">never</span>,
  },
];

const percent = (value: number | undefined) => (value === undefined ? '–' : `${Math.round(value)} %`);
const share = (part: { used: number; free: number } | null | undefined) =>
  percent(part ? (part.used / Math.max(1, part.used + part.free)) * 100 : undefined);
