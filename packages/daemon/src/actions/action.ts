import type { toDaemon } from '@hortus/contract/channel';
import type { Static } from 'typebox';

type Published = Static<typeof toDaemon.action_request>;

/**
 * An order to act on an instance. `builtin` is asked of daemons that said they can; `scheduled` nobody asks for, its time has
 * come; the other types are published.
 */
export type ActionRequest = Pick<Published, 'execution_id' | 'instance_id' | 'container_name' | 'params'> & {
  action: Omit<Published['action'], 'type'> & { type: Published['action']['type'] | 'builtin' | 'scheduled' };
  /** What the service must be told of one that it did not order. */
  scheduled?: { definition_id: string; due_at: number };
};

/** How an execution ended, as it is journalled and reported. */
export interface ActionOutcome {
  status: 'completed' | 'failed';
  exit_code: number | null;
  output: string;
  output_truncated: boolean;
  /** For a person; missing when it completed. */
  error?: string;
  /** unknown: whatever carried it out is gone without a trace of a result. It is never run again by itself. */
  outcome: 'known' | 'unknown' | 'timeout' | 'cancelled';
  /** What a built-in action found out, for the service. */
  result?: Readonly<Record<string, unknown>>;
}

export function failure(error: string, outcome: ActionOutcome['outcome'] = 'known'): ActionOutcome {
  return { status: 'failed', exit_code: null, output: '', output_truncated: false, error, outcome };
}

/** By whoever asked for it; with what there is of it. */
export const cancelled = (of: Partial<ActionOutcome> = {}): ActionOutcome => ({
  ...failure(''),
  ...of,
  error: 'It was cancelled.',
  outcome: 'cancelled',
});

export function success(output = ''): ActionOutcome {
  return { status: 'completed', exit_code: 0, output, output_truncated: false, outcome: 'known' };
}
