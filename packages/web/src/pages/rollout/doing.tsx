import type { Instance } from '@hortus/contract/resources/instance-records';
import { Link, useNavigate } from '@tanstack/react-router';
import { useOrder } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { toastProblem } from '../../parts/toast.tsx';
import type { FollowedDeployment } from './followed-deployment.ts';
import { isFinal } from './outcome.ts';

/** What can be done with a deployment now; only what the person may do. */
export function Doing({ deployment, instance }: { deployment: FollowedDeployment; instance: Instance | undefined }) {
  const { id, status, definition_id, revision, cancelling } = deployment;
  const may = useMay();
  const navigate = useNavigate();
  const cancel = useOrder('deployments.cancel');
  const execute = useOrder('deployments.execute');
  const isOver = isFinal(status);
  const kept = instance?.revision != null && instance.revision !== revision ? instance.revision : undefined;
  async function again() {
    const { data } = await execute.mutateAsync({ body: { definition_id } });
    await navigate({ to: '/deployments/$id', params: { id: data.id } });
  }
  return (
    <>
      {may('definitions:read') && (
        <Link to="/definitions/$id" params={{ id: definition_id }} className="btn">
          {status === 'failed' ? 'Change the definition' : 'Definition'}
        </Link>
      )}
      {!isOver && may('deployments:execute') && (
        <Button
          kind="danger"
          busy={cancel.isPending || cancelling}
          onClick={() => cancel.mutateAsync({ params: { id } }).catch(toastProblem('Could not cancel it.'))}
        >
          {kept === undefined ? 'Cancel' : `Cancel and keep revision ${kept}`}
        </Button>
      )}
      {status === 'failed' && may('deployments:execute') && (
        <Button
          kind="primary"
          busy={execute.isPending}
          onClick={() => again().catch(toastProblem('Could not deploy again.'))}
        >
          Deploy again
        </Button>
      )}
      {status === 'success' && instance && (
        <Link to="/instances/$id" params={{ id: instance.id }} className="btn">
          Open the instance
        </Link>
      )}
    </>
  );
}
