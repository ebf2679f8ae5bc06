import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { Journal } from '../journal/journal.ts';
import { pinned } from '../pull/digests.ts';
import { irreversibleSince } from '../rollout/watch.ts';

/** Rollbacks and healing restore the earlier images and are never renewals. */
export const isRenewal = (id: string, { renew, deployment_id }: SignedManifest): boolean =>
  renew === true && deployment_id === id;

/** Starts the watch period; a rollback returns to the manifest that the journal still has. */
export function beginWatch(
  { manifests, watches }: Pick<Journal, 'manifests' | 'watches'>,
  deploymentId: string,
  manifest: SignedManifest,
): void {
  const { instance_uid: instanceUid, watch_ms = 0 } = manifest;
  const former = manifests.of(instanceUid);
  if (watch_ms === 0 || former === undefined) return;
  if (former.revision === manifest.revision && !isRenewal(deploymentId, manifest)) return;
  const until = Date.now() + watch_ms;
  // For a renewal the manifest does not tell whether the job's image changed, so assume that it changed data.
  const renewed =
    isRenewal(deploymentId, manifest) && manifest.components.find((component) => component.irreversible)?.name;
  const irreversible = renewed || irreversibleSince(former, manifest);
  // Pin the digests: tags may point to other images by the time of a rollback.
  const before = pinned(former, manifests.imagesOf(instanceUid));
  watches.begin({ instanceUid, deploymentId, until, irreversible, former: before });
}
