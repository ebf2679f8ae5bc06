import type { ErrorCode } from '@hortus/contract/errors';

/** A request that was answered with a failure, or with nothing that can be understood. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  /** One of the published codes; NETWORK when no answer came, BAD_ANSWER when it was not one of the service. */
  readonly code: ErrorCode | 'NETWORK' | 'BAD_ANSWER';
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | undefined;
  /** Seconds to wait, when the service said so. */
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
