import { canonicalJson } from '@hortus/template/canonical/canonical-json';
import type { Chosen } from '@hortus/template/upgrade/asked';
import { type Comparison, compareForUpgrade } from '@hortus/template/upgrade/compare';
import { doOutside } from '../../storage/outside.ts';
import type { Queries } from '../../storage/storage.ts';
import { CachedResults } from '../../workers/cached-results.ts';
import type { Work } from '../../workers/job.ts';
import { isOfCatalog } from './catalog.ts';
import type { CatalogTemplate } from './owner-templates.ts';
import { COMPARE_VERSIONS } from './worker-jobs.ts';

/** A comparison depends on nothing but its key: versions never change. */
const kept = new CachedResults<Comparison>();

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
  const key = canonicalJson(['comparison', from.item.spec_hash, to.item.spec_hash, chosen]);
  const known = kept.get(key);
  if (known) return known;
  const written = [from, to].find((template) => !isOfCatalog(template));
  const compared = written
    ? await doOutside(
        queries,
        () => key,
        () => work.run(COMPARE_VERSIONS, { account: written.owner, field: 'id' }, from.spec, to.spec, chosen),
      )
    : compareForUpgrade(from.spec, to.spec, chosen);
  kept.keep(key, compared);
  return compared;
}
