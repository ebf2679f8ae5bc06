import type { ErrorCode } from '@hortus/contract/errors';

/** Thrown for an error response, a missing response, or a response that is not from the service. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  /** A published code; NETWORK without a response, BAD_ANSWER for a response that is not from the service. */
  readonly code: ErrorCode | 'NETWORK' | 'BAD_ANSWER';
  /** HTTP status; 0 without a response. */
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | undefined;
  /** Seconds from the Retry-After header. */
  readonly retryAfter: number | undefined;

  constructor(about: {
    code: ApiProblem['code'];
    status: number;
    message: string;
    details?: Record<string, unknown> | undefined;
    requestId?: string | undefined;
    retryAfter?: number | undefined;
    cause?: unknown;
  }) {
    super(about.message, about.cause === undefined ? undefined : { cause: about.cause });
    this.code = about.code;
    this.status = about.status;
    this.details = about.details ?? {};
    this.requestId = about.requestId;
    this.retryAfter = about.retryAfter;
  }
}
