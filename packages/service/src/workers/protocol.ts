import type { ErrorCode } from '@hortus/contract/errors';
import type { ProblemDetails } from '../problem.ts';

/** What a thread is asked. A thread has one job at a time, so a reply needs no number. */
export interface Order {
  readonly name: string;
  readonly args: readonly unknown[];
  /** Named in the refusal of what cannot be worked on. */
  readonly field: string;
}

/** `cpuMs` is the processor time of the thread so far: the time limit counts from the last reply. */
export type Reply = { readonly cpuMs: number } & (
  | { readonly ready: true }
  | { readonly value: unknown }
  | { readonly problem: { readonly code: ErrorCode; readonly message: string; readonly details?: ProblemDetails } }
  | { readonly error: Error }
);
