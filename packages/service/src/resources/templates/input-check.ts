import { canonicalJson } from '@hortus/template/canonical/canonical-json';
import { checkInputs, type InputCheck, type InputMode } from '@hortus/template/inputs/inputs';
import { doOutside } from '../../storage/outside.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import { isOfCatalog } from './catalog.ts';
import type { CatalogTemplate } from './owner-templates.ts';
import { CHECK_INPUTS } from './worker-jobs.ts';

/**
 * Validates the inputs of a template. Patterns in the catalog are reviewed; patterns written by accounts may be
 * arbitrarily costly and are matched in a worker thread.
 */
export async function checkInput(
  queries: Queries,
  work: Work,
  template: CatalogTemplate,
  input: object,
  mode: InputMode,
  field = 'inputs',
): Promise<InputCheck> {
  if (isOfCatalog(template) || !hasPattern(template)) return checkInputs(template.spec, input, mode);
  const { spec, item, owner } = template;
  const key = () => canonicalJson(['inputs', item.spec_hash, input, mode]);
  return doOutside(queries, key, () => work.run(CHECK_INPUTS, { account: owner, field }, spec, input, mode));
}

const hasPattern = ({ spec: { inputs } }: CatalogTemplate): boolean =>
  [...inputs.required, ...inputs.optional].some(({ pattern }) => pattern !== undefined);
