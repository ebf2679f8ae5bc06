import type { Execution } from '@hortus/contract/resources/actions';
import type { Deployment } from '@hortus/contract/resources/deployment-records';
import type { Principal } from '../identity/principal.ts';
import type { Queries } from '../storage/storage.ts';

/** State of an ordered deployment or execution. */
export interface WorkState {
  readonly ended: boolean;
  readonly succeeded: boolean;
  /** A code for programs: the reason of a failed deployment, or the status of an execution. */
  readonly reason: string | null;
  readonly error: string | null;
  readonly output: string | null;
  /** End time in milliseconds since 1970; 0 until then. */
  readonly endedAt: number;
}

type Find<T> = (queries: Queries, principal: Principal, id: string) => Promise<T>;

/** The resources whose work is awaited; `find` throws a Problem if the principal may not see it. */
export interface OrderedWork {
  readonly deployments: { readonly find: Find<Deployment> };
  readonly actions: { readonly find: Find<Execution> };
}

export interface WorkStates {
  readonly deployment: Find<WorkState>;
  readonly execution: Find<WorkState>;
}

/** Reads the state of work for resources that wait for its end. */
export const workStates = ({ deployments, actions }: OrderedWork): WorkStates => ({
  async deployment(queries, principal, id) {
    const { status, reason, error, finished_at } = await deployments.find(queries, principal, id);
    const succeeded = status === 'success';
    const ended = succeeded || status === 'failed';
    return { ended, succeeded, reason, error, output: null, endedAt: timeOf(finished_at) };
  },
  async execution(queries, principal, id) {
    const { status, error, output, finished_at } = await actions.find(queries, principal, id);
    const [ended, succeeded] = [finished_at !== null, status === 'completed'];
    return { ended, succeeded, reason: status, error: error ?? status, output, endedAt: timeOf(finished_at) };
  },
});

const timeOf = (time: string | null): number => (time === null ? 0 : Date.parse(time));
