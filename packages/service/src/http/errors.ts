import { type ErrorCode, errorTable } from '@hortus/contract/errors';
import { Problem } from '../problem.ts';
import { OutcomeUnknown, StorageUnavailable } from '../storage/storage.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

export interface ErrorResponse {
  readonly status: number;
  readonly body: {
    readonly success: false;
    readonly error: { readonly code: ErrorCode; readonly message: string; readonly details?: object };
  };
}

const errorBody = (code: ErrorCode, message: string, details?: object): ErrorResponse => ({
  status: errorTable[code].status,
  body: { success: false, error: { code, message, ...(details && { details }) } },
});

const invalid = (field: string, message: string) =>
  errorBody('VALIDATION_ERROR', `${field}: ${message}`, { reason: 'invalid', field });

/** Errors of Node's parser. */
const unreadable: Readonly<Record<string, () => ErrorResponse>> = {
  HPE_HEADER_OVERFLOW: () => invalid('headers', 'must not be larger than 16 KiB together.'),
  ERR_HTTP_REQUEST_TIMEOUT: () => errorBody('VALIDATION_ERROR', 'The request was not received in time.'),
};

const NO_PATH = 'There is no such path, or not with this method.';
export const unknownPath = () => errorBody('NOT_FOUND', NO_PATH);
/** The same as an error of a handler. */
export const noSuchPath = () => new Problem('NOT_FOUND', NO_PATH);

/** Body of a 416. The status is that of HTTP, because download programs rely on it. */
export const noSuchRange = (size: number) => invalid('Range', `there are ${size} bytes.`).body;

/** Converts an error to an answer; no other code does. Hides the details of unknown errors. */
export function errorResponse(error: unknown, requestId: string): ErrorResponse {
  if (error instanceof Problem) return errorBody(error.code, error.message, shown(error, requestId));
  if (error instanceof StorageUnavailable) return unavailable(error, requestId);
  if (error instanceof OutcomeUnknown) return errorBody('SERVER_ERROR', OUTCOME_UNKNOWN, unknownOutcome(requestId));
  return errorBody(
    'SERVER_ERROR',
    'Internal error. Try again; if it persists, report the request_id to the operator.',
    {
      request_id: requestId,
    },
  );
}

/** Seconds after which a request without a database is worth repeating. */
const DATABASE_RETRY_SECONDS = 5;

/** Nothing was changed. */
const unavailable = ({ message }: StorageUnavailable, request_id: string): ErrorResponse =>
  errorBody('SERVER_ERROR', `${message} Try again in a few seconds.`, {
    reason: 'storage',
    retry_after: DATABASE_RETRY_SECONDS,
    request_id,
  });

const OUTCOME_UNKNOWN =
  'The connection to the database was lost while the change was saved, so it may have been made. Read the record before you try again.';
const unknownOutcome = (request_id: string) => ({ reason: 'outcome_unknown', request_id });

/** Answers bytes that are not a valid request. */
export const brokenRequestResponse = (error: unknown): ErrorResponse =>
  unreadable[codeOf(error)]?.() ?? errorBody('VALIDATION_ERROR', 'The request is not valid HTTP.');

const shown = (problem: Problem, requestId: string) =>
  problem.code === 'SERVER_ERROR' ? { ...problem.details, request_id: requestId } : problem.details;

/** Returns the value of Retry-After of an answer, if it has one. */
export const retryAfterOf = ({ body }: ErrorResponse): number | undefined =>
  (body.error.details as { retry_after?: number } | undefined)?.retry_after;

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code);
