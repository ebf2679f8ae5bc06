import type { ClusterMember } from '@hortus/contract/resources/clusters';
import type { Server } from '@hortus/contract/resources/server-records';
import { useOrder } from '../../../../api/query.ts';
import { ConfirmDanger } from '../../../../parts/confirm-danger.tsx';
import { toast } from '../../../../parts/toast.tsx';

export function RevokeMember({
  server,
  member,
  onClose,
}: {
  server: Server;
  member: ClusterMember;
  onClose: () => void;
}) {
  const revoke = useOrder('clusters.revokeMember');
  const confirm = async () => {
    await revoke.mutateAsync({ params: { id: server.id, member_id: member.id } });
    toast(`${member.name} is no longer a member of ${server.name}.`);
  };
  return (
    <ConfirmDanger action="Revoke" name={member.name} onConfirm={confirm} onClose={onClose}>
      <p>
        Its key stops working at once and its daemon is disconnected.
        {member.role === 'leader' && ' It leads now; another connected member takes over.'} Containers keep running.
      </p>
    </ConfirmDanger>
  );
}
