import { useNavigate } from '@tanstack/react-router';
import { useOrder } from '../../api/query.ts';
import { toast, toastProblem } from '../../parts/toast.tsx';

/** Deploys the current revision again and goes to its rollout. */
export function useRedeploy(definitionId: string, name: string): () => Promise<void> {
  const execute = useOrder('deployments.execute');
  const navigate = useNavigate();
  return async () => {
    await execute
      .mutateAsync({ body: { definition_id: definitionId } })
      .then(({ data }) => {
        toast(`Deploying ${name}.`);
        void navigate({ to: '/deployments/$id', params: { id: data.id } });
      })
      .catch(toastProblem(`Could not deploy ${name}.`));
  };
}
