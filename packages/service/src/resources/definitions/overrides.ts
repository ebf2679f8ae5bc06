import type { DefinitionUpdate } from '@hortus/contract/resources/definitions';
import type { Overrides } from '@hortus/contract/template/overrides';
import { invalid } from '../../problem.ts';
import type { CatalogTemplate } from '../templates/public.ts';
import type { RevisionRow } from './store.ts';

export const overridesOf = ({ overrides }: Pick<RevisionRow, 'overrides'>): Overrides =>
  overrides === null ? {} : JSON.parse(overrides);

export const overridesColumn = (overrides: Overrides): string | null =>
  Object.keys(overrides).length === 0 ? null : JSON.stringify(overrides);

/** Merges the wishes of a request; those for components that the template lost are dropped. */
export function readOverrides(
  { spec }: CatalogTemplate,
  wishes: DefinitionUpdate['overrides'],
  before: Overrides = {},
): Overrides {
  const exists = (name: string) => Object.hasOwn(spec.components, name);
  const merged = new Map(Object.entries(before).filter(([name]) => exists(name)));
  for (const [name, wish] of Object.entries(wishes ?? {})) {
    if (wish === null) merged.delete(name);
    else if (exists(name)) merged.set(name, wish);
    else {
      const known = Object.keys(spec.components).join(', ');
      throw invalid(`overrides.${name}`, `the template has no such component; it has ${known}.`, { reason: 'unknown' });
    }
  }
  return Object.fromEntries(merged);
}
