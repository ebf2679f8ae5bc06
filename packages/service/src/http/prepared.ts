import { hash } from 'node:crypto';

/** An answer made once and sent many times, byte for byte. */
export interface Prepared {
  readonly body: Buffer;
  readonly type: string;
  /** Strong: it changes with every byte of the body. */
  readonly etag: string;
  readonly length: string;
}

export function prepare(text: string, type: string): Prepared {
  const body = Buffer.from(text);
  return { body, type, etag: `"${hash('sha256', body, 'base64url').slice(0, 32)}"`, length: String(body.length) };
}

/** Whether If-None-Match names this answer, alone, in a list or as a weak tag. A tag holds no comma and no quote inside. */
export const isFresh = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch === '*' || ifNoneMatch.includes(etag);
