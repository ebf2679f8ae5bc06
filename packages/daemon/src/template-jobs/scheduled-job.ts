import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { ManifestComponent } from '@hortus/contract/template/manifest';
import type { Engine } from '../engine/engine.ts';
import { connectProvider } from '../networks/links.ts';
import { componentSpec } from '../plan/component-spec.ts';
import { label, ownerLabels } from '../plan/labels.ts';
import { linkNetworks } from '../plan/links.ts';
import { instanceNetworkSize } from '../plan/network-size.ts';
import { fetchImage } from '../pull/fetch-image.ts';

export interface ScheduledJob {
  engine: Engine;
  manifest: SignedManifest;
  component: string;
  executionId: string;
  name: string;
}

export const isScheduled = ({ kind, run, schedule }: ManifestComponent): boolean =>
  kind === 'job' && run === 'schedule' && schedule !== undefined;

/** Starts a container of the component as declared in the manifest; deployments ignore it. */
export async function startScheduled({ engine, manifest, component, executionId, name }: ScheduledJob): Promise<void> {
  const declared = manifest.components.find((item) => item.name === component && isScheduled(item));
  if (declared === undefined) throw new Error(`The manifest of the instance has no scheduled job ${component}.`);
  const { uid, server_id } = manifest.instance;
  const own = { [label.managed]: 'true', [label.server]: server_id, [label.instance]: uid };
  const shared = { labels: { ...own, [label.definition]: manifest.definition_id }, owner: ownerLabels };
  const spec = componentSpec(declared, uid);
  await fetchImage(spec.image, { engine, logins: manifest.registries ?? [], renew: false });
  // Deployments create networks and volumes only for their own containers, so this job may be the first to need them.
  if (spec.network.kind === 'bridge') {
    const addresses = instanceNetworkSize(manifest.components.length);
    await engine.ensureNetwork({ name: spec.network.name, ...shared, addresses });
    for (const network of linkNetworks(uid, [declared], shared.labels)) await connectProvider(engine, network);
  }
  for (const mount of spec.mounts) {
    if (mount.kind === 'volume') await engine.ensureVolume({ name: mount.volume, ...shared });
  }
  const id = await engine.create({
    ...spec,
    name,
    healthcheck: 'none',
    labels: {
      ...declared.labels,
      ...own,
      [label.component]: component,
      [label.kind]: 'job',
      [label.execution]: executionId,
    },
  });
  const files = declared.files.map(({ mount_path, mode, content }) => ({ path: mount_path, mode, content }));
  if (files.length > 0) await engine.putFiles(id, files);
  await engine.start(id);
}
