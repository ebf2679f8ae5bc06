import type { Resource } from '../../resource.ts';
import { DEADLINE } from './deadlines.ts';
import { removeOutputs } from './retention.ts';
import { actionRoutes } from './routes.ts';
import type { Actions } from './service.ts';

interface Needs {
  readonly actions: Actions;
}

export const resource = {
  tables: ['executions'],
  retention: ({ logs }) => [{ name: 'outputs', days: logs, remove: removeOutputs }],
  wire: ({ actions }: Needs) => ({
    handlers: actionRoutes(actions),
    jobs: { [DEADLINE]: actions.deadlineJob() },
  }),
} satisfies Resource<Needs>;
