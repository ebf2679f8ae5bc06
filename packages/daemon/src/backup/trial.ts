import { randomBytes } from 'node:crypto';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { copiedComponents } from '@hortus/template/resolution/isolated';
import type { Engine } from '../engine/engine.ts';
import { handlesOf } from '../instances/instance-containers.ts';
import { label, labelsOf, ownerLabels } from '../plan/labels.ts';
import { networkName } from '../plan/names.ts';
import { instanceNetworkSize } from '../plan/network-size.ts';

/** Server id of trial objects, so that no report, rollout or release takes them for an instance. */
const trialServer = (serverId: string): string => `${serverId}-trial`;

/**
 * Derives a temporary copy of an application: other names and volumes, no routes, no host ports, and host paths mounted
 * read-only.
 */
export function trialManifest(manifest: SignedManifest): SignedManifest {
  const onHost = manifest.components.find(({ network }) => network === 'host');
  if (onHost) throw new Error(`${onHost.name} uses the host network, so no second copy can run.`);
  const uid = `trial-${randomBytes(6).toString('hex')}`;
  const server_id = trialServer(manifest.server_id);
  return {
    ...manifest,
    instance_uid: uid,
    server_id,
    instance: { ...manifest.instance, uid, server_id },
    routes: [],
    // On a cluster its volumes are on the node of the daemon, which need not have the labels of the placement.
    components: copiedComponents(manifest.components, uid).map(({ placement: _, ...component }) => component),
  };
}

/** Creates a network without external access: a trial must not send mail or talk to the application's peers. */
export async function isolate(engine: Engine, manifest: SignedManifest): Promise<void> {
  const { instance, definition_id, server_id, components } = manifest;
  await engine.ensureNetwork({
    name: networkName(instance.uid),
    labels: labelsOf({ serverId: server_id, uid: instance.uid, definitionId: definition_id }),
    owner: ownerLabels,
    internal: true,
    addresses: instanceNetworkSize(components.length),
  });
}

/** Removes all objects of the trials of this server, or of one trial. */
export async function clearTrials(engine: Engine, serverId: string, uid?: string): Promise<void> {
  const labels = { [label.server]: trialServer(serverId), ...(uid === undefined ? {} : { [label.instance]: uid }) };
  for (const { id } of handlesOf(await engine.containers({ labels }))) await engine.remove(id, { force: true });
  for (const { name } of await engine.networks({ labels })) await engine.removeNetwork(name);
  for (const { name } of await engine.volumes({ labels })) await engine.removeVolume(name);
}
