import type { ClusterNode } from '@hortus/contract/resources/cluster-nodes';
import type { Server } from '@hortus/contract/resources/server-records';
import { useOrder } from '../../../../api/query.ts';
import { ConfirmDanger } from '../../../../parts/confirm-danger.tsx';
import { toast } from '../../../../parts/toast.tsx';

export function DrainNode({ server, node, onClose }: { server: Server; node: ClusterNode; onClose: () => void }) {
  const drain = useOrder('clusters.drainNode');
  const confirm = async () => {
    await drain.mutateAsync({ params: { id: server.id, node: node.id } });
    toast(`${node.hostname} is asked to move its tasks.`);
  };
  return (
    <ConfirmDanger action="Drain" name={node.hostname} onConfirm={confirm} onClose={onClose}>
      <p>
        Its tasks are moved to other nodes. Components that a local volume pins to it stop until it is active again.
      </p>
    </ConfirmDanger>
  );
}
