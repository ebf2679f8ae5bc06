/**
 * The whole error catalogue. These six codes are published and there is never a seventh: a conflict with the current
 * state is a VALIDATION_ERROR whose details carry a reason.
 */
export const errorTable = {
  UNAUTHORIZED: { status: 401, meaning: 'The API key is missing or invalid.' },
  FORBIDDEN: { status: 403, meaning: 'The key lacks the permission for this request.' },
  NOT_FOUND: { status: 404, meaning: 'The resource does not exist.' },
  VALIDATION_ERROR: { status: 422, meaning: 'The request is not valid; the message names the field.' },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests; wait for Retry-After seconds.' },
  SERVER_ERROR: { status: 500, meaning: 'Internal error; retry with backoff.' },
} as const;

export type ErrorCode = keyof typeof errorTable;
