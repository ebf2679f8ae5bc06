import { specHash } from '@hortus/template/canonical/canonical';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import type { VerifiedStamp } from '@hortus/template/catalog/verified';
import { stopTemplates } from '@hortus/template/upgrade/stop-template';
import { RunAgain, type Storage, type Tx } from '../../storage/storage.ts';
import { CATALOG_TOPIC } from './catalog.ts';
import { publish } from './publish.ts';
import { findCatalogVersions, stampTemplate } from './store.ts';

/**
 * Publishes the templates of this release. A published version never changes: one that differs under the same number is
 * skipped and returned in `changed`. The templates for required stops are published too, so that an upgrade finds them.
 */
export async function shipCatalog(storage: Storage, newest: readonly Canonical[]): Promise<{ changed: string[] }> {
  const specs = newest.flatMap((spec) => [spec, ...stopTemplates(spec)]);
  // In parallel, so that they share commits.
  const known = await Promise.all(specs.map((spec) => storage.write((tx) => ship(tx, spec))));
  const changed = specs.filter((spec, at) => known[at] !== undefined && known[at] !== specHash(spec));
  return { changed: changed.map(({ slug, version }) => `${slug} ${version}`) };
}

/** Returns the hash of an existing version. */
async function ship(tx: Tx, spec: Canonical): Promise<string | undefined> {
  const known = (await findCatalogVersions(tx, spec.slug)).find(({ version }) => version === spec.version);
  if (known) return known.spec_hash;
  // If another replica publishes it first, look again.
  await publish(tx, spec, null, () => new RunAgain());
  return undefined;
}

/** Records which templates of this release were run as a whole. A stamp belongs to one spec, whatever its version. */
export async function stampCatalog(storage: Storage, stamps: readonly VerifiedStamp[]): Promise<void> {
  if (stamps.length === 0) return;
  await storage.write(async (tx) => {
    let stamped = 0n;
    for (const { spec_hash, at, digest } of stamps)
      stamped += await stampTemplate(tx, spec_hash, { at: Date.parse(at), digest });
    // Other replicas read the whole catalog again, so only if something changed.
    if (stamped > 0n) tx.notify(CATALOG_TOPIC);
  });
}
