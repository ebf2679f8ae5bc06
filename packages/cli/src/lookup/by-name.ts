import type { IdKind } from '@hortus/contract/ids';
import { idPattern } from '@hortus/contract/ids';
import { Failure } from '../failure.ts';
import { meant } from '../meant.ts';

export const isId = (kind: IdKind, given: string): boolean => new RegExp(idPattern(kind)).test(given);

/** Returns the only match; fails with the candidates if there are several, or with the closest known name if there is none. */
export function theOne<Thing extends { readonly id: string }>(
  what: string,
  given: string,
  fitting: readonly Thing[],
  about: (thing: Thing) => string,
  known: Iterable<string>,
): Thing {
  const [one, ...others] = fitting;
  if (one === undefined) {
    throw new Failure('missing', `There is no ${what} ${given}.`, {
      hint: meant(given, known, `hortus ${what}s list shows all.`),
    });
  }
  if (others.length === 0) return one;
  const listed = fitting.map((thing) => `${thing.id} (${about(thing)})`).join(', ');
  throw new Failure('missing', `${given} matches ${fitting.length} ${what}s.`, {
    hint: `Use an id: ${listed}.`,
  });
}
