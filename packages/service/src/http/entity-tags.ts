import { conflict, invalid } from '../problem.ts';
import type { Exchange } from './exchange.ts';

export interface Tags {
  /** Throws when the request carries an If-Match that does not name this state. */
  expect(state: number): void;
  /** Has the answer carry this state as its ETag. */
  answer(state: number): void;
}

const printed = (state: number): string => `"${state}"`;

/** The tags of a record whose states are numbered. */
export const tagsOf = (exchange: Exchange): Tags => ({
  expect(state) {
    const ifMatch = exchange.headers['if-match'];
    if (ifMatch === undefined || ifMatch.trim() === '*') return;
    const named = ifMatch.split(',').map((tag) => tag.trim());
    if (!named.every((tag) => /^(W\/)?"[^"]*"$/.test(tag)))
      throw invalid('If-Match', `must be an ETag as it was answered, such as ${printed(3)}.`);
    if (named.includes(printed(state))) return;
    // The interface has no code of its own for this.
    throw conflict('If-Match', 'stale', `it was changed meanwhile and is now at ${printed(state)}; read it again.`, {
      etag: printed(state),
    });
  },
  answer: (state) => void exchange.with({ ETag: printed(state) }),
});
