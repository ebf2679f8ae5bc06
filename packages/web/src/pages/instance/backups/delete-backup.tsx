import type { Backup } from '@hortus/contract/resources/backups';
import { useOrder } from '../../../api/query.ts';
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast.tsx';

/** Deletes a backup for good. */
export function DeleteBackup({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const remove = useOrder('backups.delete');
  return (
    <ConfirmDanger
      action="Delete a backup of"
      name={backup.instance_uid}
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ params: { id: backup.id } });
        toast('Deleting the backup.');
      }}
    >
      <p>
        The backup of <Time at={backup.created_at} /> is removed from its server. Nothing brings it back.
      </p>
    </ConfirmDanger>
  );
}
