import { parseResponse, textOf } from './xml.ts';

/** passing: a retry may succeed. absent: the object does not exist. refused: the operator has to fix something. */
export type BucketProblemKind = 'passing' | 'absent' | 'refused';

/** An error of an S3 service, described for the operator. Never contains a key or a signature. */
export class BucketProblem extends Error {
  override name = 'BucketProblem';
  readonly kind: BucketProblemKind;
  constructor(kind: BucketProblemKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

const lost = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'ECONNABORTED']);

export const isPassing = (error: unknown): boolean =>
  error instanceof BucketProblem
    ? error.kind === 'passing'
    : lost.has((error as NodeJS.ErrnoException).code ?? '') || (error as Error).message === 'aborted';

/** Advice by error code; other errors are shown as received. */
const advice: Readonly<Record<string, (bucket: string) => string>> = {
  NoSuchBucket: (bucket) => `The bucket ${bucket} does not exist. Create it, or set another one.`,
  AccessDenied: (bucket) => `The credentials have no access to the bucket ${bucket} (AccessDenied).`,
  InvalidAccessKeyId: () => 'The access key is unknown (InvalidAccessKeyId).',
  SignatureDoesNotMatch: () => 'The secret access key is wrong (SignatureDoesNotMatch).',
  ExpiredToken: () => 'The session token has expired (ExpiredToken).',
  RequestTimeTooSkewed: () => 'The clock of this server is wrong (RequestTimeTooSkewed).',
  AuthorizationHeaderMalformed: () => 'The region is wrong (AuthorizationHeaderMalformed).',
  PermanentRedirect: (bucket) =>
    `The bucket ${bucket} is in another region, or at another endpoint (PermanentRedirect).`,
};

/** Codes that are temporary whatever their status. */
const again = ['SlowDown', 'InternalError', 'RequestTimeout', 'ServiceUnavailable', 'OperationAborted'];

export function problemOf(status: number, body: string, bucket: string): BucketProblem {
  const response = parseResponse(body);
  const code = textOf(response, 'Code') ?? '';
  const said = textOf(response, 'Message') ?? `The service returned status ${status}.`;
  const message =
    advice[code]?.(bucket) ?? `The bucket ${bucket} cannot be used: ${code === '' ? said : `${said} (${code})`}`;
  if (status >= 500 || status === 429 || again.includes(code)) return new BucketProblem('passing', message);
  const absent = code === 'NoSuchKey' || code === 'NoSuchUpload' || (status === 404 && code === '');
  return new BucketProblem(absent ? 'absent' : 'refused', message);
}
