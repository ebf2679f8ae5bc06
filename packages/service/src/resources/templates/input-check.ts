import { canonicalJson } from '@hortus/template/canonical-json';
import { checkInputs, type InputCheck, type InputMode } from '@hortus/template/inputs';
import { doOutside } from '../../storage/outside.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import { isOfCatalog } from './catalog.ts';
import type { CatalogTemplate } from './shelf.ts';
import { CHECK_INPUTS } from './worker-jobs.ts';

/**
 * Validates the inputs of a template. Patterns in the catalog are reviewed; patterns written by accounts may be
 * arbitrarily costly and are matched in a worker thread.
 */
export async function checkGiven(
  queries: Queries,
  work: Work,
  template: CatalogTemplate,
  given: object,
  mode: InputMode,
  field = 'inputs',
): Promise<InputCheck> {
  if (isOfCatalog(template) || !hasPattern(template)) return checkInputs(template.spec, given, mode);
  const { spec, item, owner } = template;
  const key = () => canonicalJson(['inputs', item.spec_hash, given, mode]);
  return doOutside(queries, key, () => work.run(CHECK_INPUTS, { account: owner, field }, spec, given, mode));
}

const hasPattern = ({ spec: { inputs } }: CatalogTemplate): boolean =>
  [...inputs.required, ...inputs.optional].some(({ pattern }) => pattern !== undefined);
