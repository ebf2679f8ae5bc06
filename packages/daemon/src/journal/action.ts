import type { toDaemon } from '@hortus/contract/channel/channel';
import type { Static } from 'typebox';

type Published = Static<typeof toDaemon.action_request>;

/**
 * An action on an instance. `builtin` is sent only to daemons that support it; `scheduled` comes from the daemon's own
 * scheduler; the other types are published.
 */
export type ActionRequest = Pick<
  Published,
  'execution_id' | 'instance_id' | 'container_name' | 'params' | 'traceparent'
> & {
  action: Omit<Published['action'], 'type'> & { type: Published['action']['type'] | 'builtin' | 'scheduled' };
  /** Details that the service needs about a run that it did not order. */
  scheduled?: { definition_id: string; due_at: number };
};

/** Outcome of an execution, as it is journalled and reported. */
export interface ActionOutcome {
  status: 'completed' | 'failed';
  exit_code: number | null;
  output: string;
  output_truncated: boolean;
  /** For people; missing on success. */
  error?: string;
  /** unknown: the runner was lost without a result. Such an execution is never repeated automatically. */
  outcome: 'known' | 'unknown' | 'timeout' | 'cancelled';
  /** Result data of a built-in action, for the service. */
  result?: Readonly<Record<string, unknown>>;
}

export function failure(error: string, outcome: ActionOutcome['outcome'] = 'known'): ActionOutcome {
  return { status: 'failed', exit_code: null, output: '', output_truncated: false, error, outcome };
}

/** Outcome of a cancelled execution, with the parts that are known. */
export const cancelled = (of: Partial<ActionOutcome> = {}): ActionOutcome => ({
  ...failure(''),
  ...of,
  error: 'The action was cancelled.',
  outcome: 'cancelled',
});

export function success(output = ''): ActionOutcome {
  return { status: 'completed', exit_code: 0, output, output_truncated: false, outcome: 'known' };
}
