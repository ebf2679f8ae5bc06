import { isTracing, span } from '@hortus/tracing/span';
import type { ActionRequest } from '../journal/action.ts';
import type { Executions } from '../journal/executions.ts';

/** Runs an action in the trace of its order. Its params and output may contain secrets and are not recorded. */
export const inActionSpan = (
  { execution_id, instance_id, action, traceparent }: ActionRequest,
  executions: Pick<Executions, 'find'>,
  work: () => Promise<void>,
): Promise<void> =>
  span(
    `action ${action.slug}`,
    {
      kind: 'consumer',
      parent: traceparent ?? null,
      attributes: {
        'hortus.execution_id': execution_id,
        'hortus.instance_id': instance_id || undefined,
        'hortus.action_type': action.type,
      },
    },
    async (opened) => {
      await work();
      const outcome = isTracing() ? executions.find(execution_id)?.outcome : undefined;
      if (outcome?.status === 'failed') opened.fail(outcome.outcome);
    },
  );
