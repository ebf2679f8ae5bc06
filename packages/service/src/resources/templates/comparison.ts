import { canonicalJson } from '@hortus/template/canonical-json';
import type { Chosen } from '@hortus/template/upgrade/asked';
import { type Comparison, compareForUpgrade } from '@hortus/template/upgrade/compare';
import { doOutside } from '../../storage/outside.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import { isOfCatalog } from './catalog.ts';
import type { CatalogTemplate } from './shelf.ts';
import { COMPARE_VERSIONS } from './worker-jobs.ts';

/**
 * Compares two versions of a template for the user's choices. Versions written by accounts may be long and have costly
 * patterns, so they are compared in a worker thread.
 */
export async function compareTemplates(
  queries: Queries,
  work: Work,
  from: CatalogTemplate,
  to: CatalogTemplate,
  chosen: Chosen,
): Promise<Comparison> {
  const written = [from, to].find((template) => !isOfCatalog(template));
  if (!written) return compareForUpgrade(from.spec, to.spec, chosen);
  const key = () => canonicalJson(['comparison', from.item.spec_hash, to.item.spec_hash, chosen]);
  const owner = { account: written.owner, field: 'id' };
  return doOutside(queries, key, () => work.run(COMPARE_VERSIONS, owner, from.spec, to.spec, chosen));
}
