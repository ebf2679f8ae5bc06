import { withProfile } from '@hortus/template/canonical/canonical';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import type { Catalog } from '../templates/public.ts';
import type { NamedRow } from './lists/store.ts';

/** Resolves the template of the running revision with its profile applied. */
export function specOf(
  catalog: Pick<Catalog, 'known'>,
  { template_id, profile }: Pick<NamedRow, 'template_id' | 'profile'>,
): Canonical {
  const template = catalog.known(template_id);
  return withProfile(template.spec, profile) ?? template.spec;
}
