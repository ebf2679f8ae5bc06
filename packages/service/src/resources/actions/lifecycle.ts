import { executionMachine } from '@hortus/contract/machines/execution';
import type { MoveOf } from '@hortus/contract/machines/machine';
import type { Lifecycle } from '../../state/transition.ts';

/** Events contain the outcome, never the output. */
export const executionLifecycle: Lifecycle<typeof executionMachine, 'executions'> = {
  machine: executionMachine,
  table: 'executions',
  resource: 'execution',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({
    execution_id: row.id,
    instance_id: row.instance_id,
    server_id: row.server_id,
    slug: row.slug,
    kind: row.kind,
    status: row.status,
    exit_code: row.exit_code,
  }),
};

export type ExecutionMove = MoveOf<typeof executionMachine>;

const final: readonly string[] = executionMachine.final;
export const isFinal = (status: string): boolean => final.includes(status);
