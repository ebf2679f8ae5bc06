import type { ListedAction } from '@hortus/contract/resources/actions';
import type { Instance } from '@hortus/contract/resources/instance-records';
import { useNavigate } from '@tanstack/react-router';
import { useOrder } from '../../../api/query.ts';
import { toastProblem } from '../../../parts/toast.tsx';
import type { ParamValues } from './params.ts';

/** Runs an action and goes to its execution, whose output arrives there. */
export function useRunAction({ id, name }: Pick<Instance, 'id' | 'name'>) {
  const execute = useOrder('actions.execute');
  const navigate = useNavigate();
  /** Rejects with the problem, for a form that shows it. */
  const order = async ({ slug }: Pick<ListedAction, 'slug'>, params: ParamValues) => {
    const { execution } = await execute.mutateAsync({ params: { id, slug }, body: { params } });
    await navigate({ to: '/instances/$id', params: { id }, search: { tab: 'actions', execution: execution.id } });
  };
  const run = (action: Pick<ListedAction, 'slug' | 'name'>, params: ParamValues) =>
    order(action, params).catch(toastProblem(`Could not run ${action.name} on ${name}.`));
  return { order, run, running: execute.isPending ? String(execute.variables.params.slug) : undefined };
}
