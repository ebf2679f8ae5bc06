import type { IdKind } from '@hortus/contract/records/ids';
import { idPattern } from '@hortus/contract/records/ids';
import { withSuggestion } from '../did-you-mean.ts';
import { Failure } from '../failure.ts';

export const isId = (kind: IdKind, reference: string): boolean => new RegExp(idPattern(kind)).test(reference);

/** Returns the only match; fails with the candidates if there are several, or with the closest known name if there is none. */
export function theOne<Thing extends { readonly id: string }>(
  what: string,
  reference: string,
  fitting: readonly Thing[],
  about: (thing: Thing) => string,
  known: Iterable<string>,
): Thing {
  const [item, ...others] = fitting;
  if (item === undefined) {
    throw new Failure('missing', `There is no ${what} ${reference}.`, {
      hint: withSuggestion(reference, known, `hortus ${what}s list shows all.`),
    });
  }
  if (others.length === 0) return item;
  const listed = fitting.map((thing) => `${thing.id} (${about(thing)})`).join(', ');
  throw new Failure('missing', `${reference} matches ${fitting.length} ${what}s.`, {
    hint: `Use an id: ${listed}.`,
  });
}
