import { specHash } from '@hortus/template/canonical';
import type { Canonical } from '@hortus/template/canonical-form';
import { RunAgain, type Storage, type Tx } from '../../storage/storage.ts';
import { publish } from './publish.ts';
import { findCatalogVersions } from './store.ts';

/**
 * Publishes the templates that come with this release. A version once published never changes: one that differs under
 * the same number is left as it was and named in the answer.
 */
export async function shipCatalog(storage: Storage, specs: readonly Canonical[]): Promise<{ changed: string[] }> {
  // Asked for together, they share their commits.
  const known = await Promise.all(specs.map((spec) => storage.write((tx) => ship(tx, spec))));
  const changed = specs.filter((spec, at) => known[at] !== undefined && known[at] !== specHash(spec));
  return { changed: changed.map(({ slug, version }) => `${slug} ${version}`) };
}

/** Answers the hash of the version that was there already. */
async function ship(tx: Tx, spec: Canonical): Promise<string | undefined> {
  const known = (await findCatalogVersions(tx, spec.slug)).find(({ version }) => version === spec.version);
  if (known) return known.spec_hash;
  // Another replica that starts at this moment may be quicker: then look again at what it has published.
  await publish(tx, spec, null, () => new RunAgain());
  return undefined;
}
