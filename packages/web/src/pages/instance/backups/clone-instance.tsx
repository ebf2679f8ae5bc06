import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';

/** Orders an isolated copy of the instance with the data of its newest backup. */
export function CloneInstance({ about: { instance } }: { about: InstanceOverview }) {
  const may = useMay();
  const clone = useOrder('rehearsals.clone');
  if (!may('deployments:execute') || instance.status === 'released') return null;
  const order = () =>
    clone
      .mutateAsync({ params: { id: instance.id }, body: {} })
      .then(() => toast(`Copying ${instance.name}. The running instance is not touched.`))
      .catch(toastProblem(`Could not copy ${instance.name}.`));
  return (
    <Button small busy={clone.isPending} onClick={order}>
      Make a copy for an hour
    </Button>
  );
}
