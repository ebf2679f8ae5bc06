import type { ErrorCode } from '@hortus/contract/errors';
import type { Permission } from '@hortus/contract/permissions';

export type ProblemDetails = Readonly<Record<string, unknown>>;

/** Thrown by services if a request cannot be served. Has a published code; only `http/` knows statuses. */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: ErrorCode;
  readonly details: ProblemDetails | undefined;
  constructor(code: ErrorCode, message: string, details?: ProblemDetails) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/**
 * Thrown if the cache of this process is older than the record in question, because another replica has just written
 * it. The catcher calls `catchUp` and retries once.
 */
export class Behind extends Error {
  override name = 'Behind';
  readonly catchUp: () => Promise<void>;
  constructor(message: string, catchUp: () => Promise<void>) {
    super(message);
    this.catchUp = catchUp;
  }
}

export const unauthorized = (message = 'The API key is missing or invalid.') => new Problem('UNAUTHORIZED', message);

export const forbidden = (permission: Permission) =>
  new Problem('FORBIDDEN', `This needs the permission ${permission}.`, { permission });

export const notFound = (what: string) => new Problem('NOT_FOUND', `There is no such ${what}.`);

/** A value that is invalid by itself. */
export const invalid = (field: string, message: string, details: ProblemDetails = {}) =>
  new Problem('VALIDATION_ERROR', `${field}: ${message}`, { reason: 'invalid', field, ...details });

/** A value that is valid by itself but conflicts with the current state. */
export const conflict = (field: string, reason: string, message: string, details: ProblemDetails = {}) =>
  new Problem('VALIDATION_ERROR', `${field}: ${message}`, { reason, field, ...details });
