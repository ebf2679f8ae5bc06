import type { ClusterMember } from '@hortus/contract/resources/clusters';
import type { Server } from '@hortus/contract/resources/server-records';
import { useState } from 'react';
import { useApi } from '../../../../api/query.ts';
import { useMay } from '../../../../api/session.ts';
import { Button } from '../../../../parts/button.tsx';
import { Empty, Section } from '../../../../parts/page.tsx';
import { Status, type Tone } from '../../../../parts/status.tsx';
import { type Column, Table } from '../../../../parts/table.tsx';
import { Time } from '../../../../parts/time.tsx';
import { Loaded } from '../../../../parts/waiting.tsx';
import { AddMember } from './add-member.tsx';
import { RevokeMember } from './revoke-member.tsx';

const TONES: Record<ClusterMember['role'], Tone> = { leader: 'ok', standby: 'idle', offline: 'bad', pending: 'wait' };

/** The daemons of a cluster, one of which leads. */
export function Members({ server }: { server: Server }) {
  const query = useApi('clusters.members', { params: { id: server.id }, query: { per_page: 100 } });
  const may = useMay();
  const [adding, setAdding] = useState(false);
  const [revoked, setRevoked] = useState<ClusterMember>();
  const mayChange = may('servers:write');
  const columns: readonly Column<ClusterMember>[] = [
    { name: 'Name', cell: ({ name }) => <b>{name}</b> },
    { name: 'Role', cell: ({ role }) => <Status state={role} tone={TONES[role]} /> },
    { name: 'Daemon', wide: true, cell: ({ daemon }) => daemon.version ?? 'not connected yet' },
    {
      name: 'Last seen',
      wide: true,
      cell: ({ last_seen_at }) => (last_seen_at ? <Time at={last_seen_at} ago /> : 'never'),
    },
    ...(mayChange
      ? [
          {
            name: 'Key',
            cell: (member: ClusterMember) => (
              <Button kind="quiet" aria-label={`Revoke ${member.name}`} onClick={() => setRevoked(member)}>
                Revoke…
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <Section
      title="Members"
      className="mb-9"
      more={mayChange && may('data:export') && <Button onClick={() => setAdding(true)}>Add a member…</Button>}
    >
      <Loaded query={query} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No member is left.">Add one, and start its daemon on a manager of the cluster.</Empty>
          ) : (
            <div className="sheet">
              <Table label="Members of this cluster" columns={columns} rows={data} />
            </div>
          )
        }
      </Loaded>
      {adding && <AddMember server={server} onClose={() => setAdding(false)} />}
      {revoked && <RevokeMember server={server} member={revoked} onClose={() => setRevoked(undefined)} />}
    </Section>
  );
}
