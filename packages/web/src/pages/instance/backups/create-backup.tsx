import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';

/** Orders a backup now. */
export function CreateBackup({ about: { instance, backup }, small }: { about: InstanceOverview; small?: boolean }) {
  const may = useMay();
  const create = useOrder('backups.create');
  if (!may('backups:write') || backup?.strategy === 'none' || instance.status === 'released') return null;
  const order = () =>
    create
      .mutateAsync({ params: { id: instance.id }, body: {} })
      .then(() => toast(`Backing up ${instance.name}.`))
      .catch(toastProblem(`Could not back up ${instance.name}.`));
  return (
    <Button kind="primary" small={small} busy={create.isPending} onClick={order}>
      Back up now
    </Button>
  );
}
