import { ApiProblem } from '@hortus/client/problem';
import type { Exit } from './exit-codes.ts';

/** Ends a command with a message, an exit code and a hint. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exit: Exit;
  readonly hint: string | undefined;
  /** Error of the service, for --json. */
  readonly problem: ApiProblem | undefined;

  constructor(exit: Exit, message: string, more: { hint?: string | undefined; problem?: ApiProblem } = {}) {
    super(message, more.problem === undefined ? undefined : { cause: more.problem });
    this.exit = exit;
    this.hint = more.hint;
    this.problem = more.problem;
  }
}

const exitOf: Record<ApiProblem['code'], Exit> = {
  UNAUTHORIZED: 'forbidden',
  FORBIDDEN: 'forbidden',
  NOT_FOUND: 'missing',
  VALIDATION_ERROR: 'refused',
  RATE_LIMITED: 'unavailable',
  SERVER_ERROR: 'unavailable',
  BAD_ANSWER: 'unavailable',
  NETWORK: 'unreachable',
};

/** Converts a thrown error to a failure; undefined for a bug. */
export function failureOf(error: unknown, url: string | undefined): Failure | undefined {
  if (error instanceof Failure) return error;
  if (!(error instanceof ApiProblem)) return undefined;
  const about = (message: string, hint?: string) => new Failure(exitOf[error.code], message, { hint, problem: error });
  switch (error.code) {
    case 'NETWORK':
      return about(`${url ?? 'The service'} does not answer${reasonOf(error)}.`, 'hortus doctor finds the cause.');
    case 'UNAUTHORIZED':
      return about('The service does not accept this key.', 'Sign in again with hortus login');
    case 'BAD_ANSWER':
      return about(error.message, 'Does the address lead to a Hortus service?');
    case 'RATE_LIMITED':
      return about(`${error.message} ${error.retryAfter === undefined ? '' : `Wait ${error.retryAfter} s.`}`.trim());
    case 'SERVER_ERROR':
      return about(`${error.message}${error.requestId ? ` Request id in the log: ${error.requestId}.` : ''}`);
    default:
      return about(error.message);
  }
}

const networkWords: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name cannot be resolved right now',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the network',
  ECONNRESET: 'it hung up',
  UND_ERR_SOCKET: 'it hung up',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
};

/** Finds the innermost cause below the wrappers of fetch and the client. */
function reasonOf(error: Error): string {
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'TimeoutError') return ' in time';
    const words = networkWords[(cause as NodeJS.ErrnoException).code ?? ''];
    if (words !== undefined) return `: ${words}`;
  }
  return '';
}
