import { hash } from 'node:crypto';

/** An answer that is created once and sent many times. */
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

/**
 * Tells whether If-None-Match matches this answer, alone, in a list or as a weak tag. A tag contains no comma or quote.
 */
export const isFresh = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch === '*' || ifNoneMatch.includes(etag);
