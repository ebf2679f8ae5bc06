import type { IdKind } from '@hortus/contract/ids';
import { idPattern } from '@hortus/contract/ids';
import { Failure } from '../failure.ts';

export const isId = (kind: IdKind, given: string): boolean => new RegExp(idPattern(kind)).test(given);

/** Returns the only match; fails with the candidates if there are several or none. */
export function theOne<Thing extends { readonly id: string }>(
  what: string,
  given: string,
  fitting: readonly Thing[],
  about: (thing: Thing) => string,
): Thing {
  const [one, ...others] = fitting;
  if (one === undefined) {
    throw new Failure('missing', `There is no ${what} ${given}.`, {
      hint: `hortus ${what}s list shows all.`,
    });
  }
  if (others.length === 0) return one;
  const listed = fitting.map((thing) => `${thing.id} (${about(thing)})`).join(', ');
  throw new Failure('missing', `${given} matches ${fitting.length} ${what}s.`, {
    hint: `Use an id: ${listed}.`,
  });
}
