/** Kind of failure, for programs; the message is for people. */
export type EngineProblemKind =
  | 'unreachable'
  | 'timeout'
  | 'aborted'
  | 'not_found'
  | 'conflict'
  /** The subnet of a new network is already in use. */
  | 'subnet_taken'
  | 'invalid'
  | 'unsupported'
  | 'failed';

export interface EngineProblemFacts {
  /** Operation, as it reads after "could not": `create container blog`. */
  operation: string;
  kind: EngineProblemKind;
  /** The engine's HTTP status, if it responded. */
  status?: number;
  /** The engine's message, or ours if it sent none. */
  detail: string;
  cause?: unknown;
}

/** Failure of an engine call; the message always names the call. */
export class EngineProblem extends Error {
  readonly operation: string;
  readonly kind: EngineProblemKind;
  readonly status: number | undefined;

  constructor({ operation, kind, status, detail, cause }: EngineProblemFacts) {
    super(`Could not ${operation}: ${detail}`, cause === undefined ? undefined : { cause });
    this.name = 'EngineProblem';
    this.operation = operation;
    this.kind = kind;
    this.status = status;
  }
}

/** Detects a full disk. Engines quote the failed system call, the journal quotes SQLite. */
export function isDiskFull(error: unknown): boolean {
  const words = /no space left on device|database or disk is full/i;
  return error instanceof Error && (words.test(error.message) || isDiskFull(error.cause));
}

export function isEngineProblem(error: unknown, kind?: EngineProblemKind): error is EngineProblem {
  return error instanceof EngineProblem && (kind === undefined || error.kind === kind);
}
