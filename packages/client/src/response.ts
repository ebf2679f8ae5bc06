import { type ErrorCode, errorTable } from '@hortus/contract/errors';
import { ApiProblem } from './problem.ts';

interface Failure {
  success: false;
  error: { code: ErrorCode; message: string; details?: Record<string, unknown> };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function isFailure(value: unknown): value is Failure {
  if (!isObject(value) || value.success !== false || !isObject(value.error)) return false;
  return typeof value.error.message === 'string' && Object.hasOwn(errorTable, String(value.error.code));
}

/** Parses a Retry-After header (seconds or HTTP date) into seconds. */
export function retryAfterOf(header: string | null, now = Date.now()): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

/** Returns the problem of an error body; undefined if it is something else. */
export function problemOf(body: unknown, about: Partial<ApiProblem> = {}): ApiProblem | undefined {
  if (!isFailure(body)) return undefined;
  const { status = errorTable[body.error.code].status, requestId, retryAfter } = about;
  return new ApiProblem({ status, requestId, retryAfter, ...body.error });
}

/**
 * Reads a response: the JSON envelope, or plain text where the endpoint declares `media`. Throws an ApiProblem for
 * error responses and for anything else, such as a proxy's HTML page.
 */
export async function readResponse(response: Response, media?: string): Promise<unknown> {
  const text = await response.text();
  if (response.ok && media !== undefined && response.headers.get('content-type') === media) return text;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (response.ok && isObject(body) && body.success === true) return body;
  const common = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: retryAfterOf(response.headers.get('retry-after')),
  };
  const problem = problemOf(body, common);
  if (problem) throw problem;
  const message = `The response is not from the Hortus service: HTTP ${response.status}: ${text.slice(0, 200)}`;
  throw new ApiProblem({ ...common, code: 'BAD_ANSWER', message });
}
