/** What kind of thing went wrong, for code; the message is for a person. */
export type EngineProblemKind =
  | 'unreachable'
  | 'timeout'
  | 'aborted'
  | 'not_found'
  | 'conflict'
  /** The subnet of a new network is used already. */
  | 'subnet_taken'
  | 'invalid'
  | 'unsupported'
  | 'failed';

export interface EngineProblemFacts {
  /** What was being done, as it reads after "could not": `create container blog`. */
  operation: string;
  kind: EngineProblemKind;
  /** The engine's HTTP status, where it answered at all. */
  status?: number;
  /** The engine's own words, or ours where it said nothing. */
  detail: string;
  cause?: unknown;
}

/** Every failure of an engine call; it always names the call. */
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

/** Engines say it in the words of the system call that failed, wherever in theirs; our journal in its own. */
export function isDiskFull(error: unknown): boolean {
  const words = /no space left on device|database or disk is full/i;
  return error instanceof Error && (words.test(error.message) || isDiskFull(error.cause));
}

export function isEngineProblem(error: unknown, kind?: EngineProblemKind): error is EngineProblem {
  return error instanceof EngineProblem && (kind === undefined || error.kind === kind);
}
