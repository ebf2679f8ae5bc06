import type { ErrorCode } from '@hortus/contract/errors';
import type { ProblemDetails } from '../problem.ts';

/** Order to a thread. A thread has one job at a time, so replies need no number. */
export interface Order {
  readonly name: string;
  readonly args: readonly unknown[];
  /** Named in a refusal. */
  readonly field: string;
}

/** `cpuMs` is the total CPU time of the thread: the time limit counts from the last reply. */
export type Reply = { readonly cpuMs: number } & (
  | { readonly ready: true }
  | { readonly value: unknown }
  | { readonly problem: { readonly code: ErrorCode; readonly message: string; readonly details?: ProblemDetails } }
  | { readonly error: Error }
);
