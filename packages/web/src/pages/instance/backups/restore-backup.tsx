import type { Backup } from '@hortus/contract/resources/backups';
import { useApi, useOrder } from '../../../api/query.ts';
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast.tsx';

/** Replaces the data of the instance by a backup. */
export function RestoreBackup({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const restore = useOrder('backups.restore');
  const name = backup.instance_uid;
  const plan = useApi('backups.planRestore', { params: { id: backup.id } }).data?.data;
  return (
    <ConfirmDanger
      action="Restore"
      name={name}
      onClose={onClose}
      onConfirm={async () => {
        await restore.mutateAsync({ params: { id: backup.id }, body: { confirm: name } });
        toast(`Restoring ${name}.`);
      }}
    >
      <p>
        The data of {name} is replaced by that of <Time at={backup.created_at} />. The present data is backed up first
        and returns if the restore fails.
      </p>
      {plan && <p>{plan.summary}</p>}
      {plan?.warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
    </ConfirmDanger>
  );
}
