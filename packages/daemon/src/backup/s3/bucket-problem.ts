import { parseAnswer, textOf } from './xml.ts';

/** passing: it may work when it is tried again. absent: what was asked for is not there. refused: somebody has to mend something. */
export type BucketProblemKind = 'passing' | 'absent' | 'refused';

/** What a service that speaks S3 has against a request, in words for whoever set it up. Never a key or a signature. */
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

/** What each code asks for; others are told as they came. */
const advice: Readonly<Record<string, (bucket: string) => string>> = {
  NoSuchBucket: (bucket) => `There is no bucket ${bucket}. Make it, or name another.`,
  AccessDenied: (bucket) => `The credentials may not use the bucket ${bucket} (AccessDenied).`,
  InvalidAccessKeyId: () => 'The access key is not known (InvalidAccessKeyId).',
  SignatureDoesNotMatch: () => 'The secret access key is another one (SignatureDoesNotMatch).',
  ExpiredToken: () => 'The session token has expired (ExpiredToken).',
  RequestTimeTooSkewed: () => 'The clock of this server is wrong (RequestTimeTooSkewed).',
  AuthorizationHeaderMalformed: () => 'The region is another one (AuthorizationHeaderMalformed).',
  PermanentRedirect: (bucket) =>
    `The bucket ${bucket} is in another region, or at another endpoint (PermanentRedirect).`,
};

/** Passing whatever their status is. */
const again = ['SlowDown', 'InternalError', 'RequestTimeout', 'ServiceUnavailable', 'OperationAborted'];

export function problemOf(status: number, body: string, bucket: string): BucketProblem {
  const answer = parseAnswer(body);
  const code = textOf(answer, 'Code') ?? '';
  const said = textOf(answer, 'Message') ?? `It answered ${status}.`;
  const message =
    advice[code]?.(bucket) ?? `The bucket ${bucket} cannot be used: ${code === '' ? said : `${said} (${code})`}`;
  if (status >= 500 || status === 429 || again.includes(code)) return new BucketProblem('passing', message);
  const absent = code === 'NoSuchKey' || code === 'NoSuchUpload' || (status === 404 && code === '');
  return new BucketProblem(absent ? 'absent' : 'refused', message);
}
