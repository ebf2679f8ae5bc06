import type { ClusterNode } from '@hortus/contract/resources/cluster-nodes';
import type { Server } from '@hortus/contract/resources/server-records';
import { useState } from 'react';
import { useApi, useOrder } from '../../../../api/query.ts';
import { useMay } from '../../../../api/session.ts';
import { memory } from '../../../../parts/amount.ts';
import { Button } from '../../../../parts/button.tsx';
import { Empty, Section } from '../../../../parts/page.tsx';
import { Status, Tag, type Tone } from '../../../../parts/status.tsx';
import { type Column, Table } from '../../../../parts/table.tsx';
import { toast, toastProblem } from '../../../../parts/toast.tsx';
import { Loaded } from '../../../../parts/waiting.tsx';
import { labelText } from '../../labels.ts';
import { DrainNode } from './drain-node.tsx';

const TONES: Record<ClusterNode['state'], Tone> = { ready: 'ok', down: 'bad', disconnected: 'bad', unknown: 'warn' };

/** The machines of a cluster, and what runs where. */
export function Nodes({ server }: { server: Server }) {
  const query = useApi('clusters.nodes', { params: { id: server.id }, query: { per_page: 100 } });
  const mayChange = useMay()('servers:write');
  const [draining, setDraining] = useState<ClusterNode>();
  const activate = useOrder('clusters.activateNode');
  const takeAgain = ({ id: node, hostname }: ClusterNode) =>
    void activate
      .mutateAsync({ params: { id: server.id, node } })
      .then(() => toast(`${hostname} is asked to take tasks again.`), toastProblem(`${hostname} stays as it is.`));
  const columns: readonly Column<ClusterNode>[] = [
    {
      name: 'Name',
      cell: ({ hostname, role, labels }) => (
        <span>
          <b>{hostname}</b> {role === 'manager' && <Tag>manager</Tag>}
          {labelText(labels) && <span className="block text-xs text-ink-3">{labelText(labels)}</span>}
        </span>
      ),
    },
    { name: 'State', cell: (node) => <State node={node} /> },
    { name: 'Runs', wide: true, cell: ({ tasks }) => <Tasks tasks={tasks} /> },
    {
      name: 'Room',
      wide: true,
      cell: ({ capacity }) => (capacity ? `${capacity.cpus} cores, ${memory(capacity.memory_bytes)}` : 'not reported'),
    },
    ...(mayChange
      ? [
          {
            name: 'Order',
            cell: (node: ClusterNode) =>
              node.availability === 'active' ? (
                <Button kind="quiet" aria-label={`Drain ${node.hostname}`} onClick={() => setDraining(node)}>
                  Drain…
                </Button>
              ) : (
                <Button kind="quiet" aria-label={`Activate ${node.hostname}`} onClick={() => takeAgain(node)}>
                  Activate
                </Button>
              ),
          },
        ]
      : []),
  ];
  return (
    <Section title="Nodes" className="mb-9">
      <Loaded query={query} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No nodes yet.">They appear when the leading daemon has reported them.</Empty>
          ) : (
            <div className="sheet">
              <Table label="Nodes of this cluster" columns={columns} rows={data} />
            </div>
          )
        }
      </Loaded>
      {draining && <DrainNode server={server} node={draining} onClose={() => setDraining(undefined)} />}
    </Section>
  );
}

function State({ node: { state, availability } }: { node: ClusterNode }) {
  if (state === 'ready' && availability !== 'active')
    return (
      <Status state={availability} tone="warn">
        {availability === 'drain' ? 'Drained' : 'Paused'}
      </Status>
    );
  return <Status state={state} tone={TONES[state]} />;
}

function Tasks({ tasks }: { tasks: ClusterNode['tasks'] }) {
  if (tasks.length === 0) return 'nothing';
  return tasks
    .map(({ instance_uid, component, running }) => `${instance_uid}/${component}${running === 1 ? '' : ` ×${running}`}`)
    .join(', ');
}
