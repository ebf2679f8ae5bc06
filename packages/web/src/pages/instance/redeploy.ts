import { useNavigate } from '@tanstack/react-router';
import { useOrder } from '../../api/query.ts';
import { useHasPlace } from '../../frame/places.ts';
import { toast, toastProblem } from '../../parts/toast.tsx';

/** Deploys the current revision again and goes to its rollout. */
export function useRedeploy(definitionId: string, name: string): () => Promise<void> {
  const execute = useOrder('deployments.execute');
  const navigate = useNavigate();
  const exists = useHasPlace();
  return async () => {
    await execute
      .mutateAsync({ body: { definition_id: definitionId } })
      .then(({ data }) => {
        toast(`Deploying ${name}.`);
        if (exists('/deployments/$id'))
          void navigate({ to: '/deployments/$id' as string, params: { id: data.id } as never });
      })
      .catch(toastProblem(`Could not deploy ${name}.`));
  };
}
