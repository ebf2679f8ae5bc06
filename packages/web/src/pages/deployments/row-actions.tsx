import type { Deployment } from '@hortus/contract/resources/deployment-records';
import { useOrder } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { toast, toastProblem } from '../../parts/toast.tsx';

/** Log, roll back and cancel: what makes sense for the state of a deployment. */
export function RowActions({
  deployment: { id, status, cancelling },
  onLog,
  onRollBack,
}: {
  deployment: Deployment;
  onLog: () => void;
  onRollBack: (() => void) | undefined;
}) {
  const may = useMay();
  const cancel = useOrder('deployments.cancel');
  const isOver = status === 'success' || status === 'failed';
  const order = () =>
    cancel
      .mutateAsync({ params: { id } })
      .then(() => toast('Cancelling the deployment. What ran before keeps running.'))
      .catch(toastProblem('Could not cancel the deployment.'));
  return (
    <span className="row-actions flex justify-end gap-2">
      <Button small kind="quiet" onClick={onLog}>
        Log
      </Button>
      {status === 'success' && onRollBack && (
        <Button small onClick={onRollBack}>
          Roll back…
        </Button>
      )}
      {!isOver && !cancelling && may('deployments:execute') && (
        <Button small busy={cancel.isPending} onClick={order}>
          Cancel
        </Button>
      )}
    </span>
  );
}
