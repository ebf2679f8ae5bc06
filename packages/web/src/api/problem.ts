import { ApiProblem } from '@hortus/client/problem';
import { errorTable } from '@hortus/contract/errors';

/** A sentence for people: what happened and what to do. Messages of the service say so themselves. */
export function problemText(error: unknown): string {
  if (!(error instanceof ApiProblem))
    return 'Something went wrong on this page. Reload it; if it happens again, report it.';
  if (error.code === 'NETWORK') return 'The service does not answer. The page tries again by itself.';
  if (error.code === 'BAD_ANSWER')
    return 'Something between this page and the service answered instead. Check the proxy.';
  if (error.code === 'RATE_LIMITED')
    return `Too many requests. Wait ${error.retryAfter ?? 60} seconds; this page continues by itself.`;
  // The id is in the address of the page; the person did not type it.
  if (error.details.field === 'id') return error.message.replace(/^id: (.)/, (_, first: string) => first.toUpperCase());
  return error.message || errorTable[error.code].meaning;
}

/** The field that a 422 names, and the rest of its message. */
export function fieldProblem(error: unknown): { field: string; text: string } | undefined {
  if (!(error instanceof ApiProblem) || error.code !== 'VALIDATION_ERROR') return undefined;
  const field = error.details.field;
  if (typeof field !== 'string') return undefined;
  return { field, text: error.message.replace(`${field}: `, '') };
}

/** Tells whether the page lacks its half of the session, for example because the data of the site was cleared. */
export const lacksPageToken = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status === 401 && error.details.reason === 'page_token';

export const isSignedOut = (error: unknown): boolean => error instanceof ApiProblem && error.status === 401;
