import type { IdKind } from '@hortus/contract/ids';
import { idPattern } from '@hortus/contract/ids';
import { Failure } from '../failure.ts';

export const isId = (kind: IdKind, given: string): boolean => new RegExp(idPattern(kind)).test(given);

/** The one thing a name fits; several or none is an error that says what there is. */
export function theOne<Thing extends { readonly id: string }>(
  what: string,
  given: string,
  fitting: readonly Thing[],
  about: (thing: Thing) => string,
): Thing {
  const [one, ...others] = fitting;
  if (one === undefined) {
    throw new Failure('missing', `There is no ${what} ${given}.`, {
      hint: `hortus ${what}s list shows what there is.`,
    });
  }
  if (others.length === 0) return one;
  const listed = fitting.map((thing) => `${thing.id} (${about(thing)})`).join(', ');
  throw new Failure('missing', `${given} fits ${fitting.length} ${what}s.`, {
    hint: `Say which by its id: ${listed}.`,
  });
}
