import { conflict, invalid } from '../problem.ts';
import type { Exchange, Headers } from './exchange.ts';

export interface Tags {
  /** Throws if the request has an If-Match that does not match this state. */
  expect(state: number): void;
  /** Sets the ETag of the answer to this state. */
  respond(state: number): void;
}

const printed = (state: number): string => `"${state}"`;

/** Handles ETags of a record with numbered states. */
export const tagsOf = (exchange: Pick<Exchange, 'headers'> & { with(headers: Headers): unknown }): Tags => ({
  expect(state) {
    const ifMatch = exchange.headers['if-match'];
    if (ifMatch === undefined || ifMatch.trim() === '*') return;
    const named = ifMatch.split(',').map((tag) => tag.trim());
    if (!named.every((tag) => /^(W\/)?"[^"]*"$/.test(tag)))
      throw invalid('If-Match', `must be an ETag from an answer, such as ${printed(3)}.`);
    if (named.includes(printed(state))) return;
    // The interface has no error code of its own for this.
    throw conflict('If-Match', 'stale', `the record has changed and is now at ${printed(state)}; read it again.`, {
      etag: printed(state),
    });
  },
  respond: (state) => void exchange.with({ ETag: printed(state) }),
});
