import { createHash } from 'node:crypto';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { Cluster } from '../engine/cluster.ts';
import { label } from '../plan/labels.ts';
import { requireManager } from './attempt.ts';
import { chooseNode, forgetPin, recordedPin, recordPin } from './pins.ts';
import { fits } from './placement.ts';

/**
 * Label of the record of an instance that is being restored on another node: the node. The record also has the labels by which a
 * leader finds the manifest, because there is no service meanwhile.
 */
export const RESTORING_ON = 'hortus.restoring_on';

export interface Move {
  cluster: Cluster;
  manifest: Pick<SignedManifest, 'components' | 'deployment_id' | 'revision'>;
  /** Labels of everything that belongs to the instance. */
  own: Record<string, string>;
  /** Id of the node that is lost. */
  lost: string;
}

export interface Moving {
  /** Node where the data is restored. */
  node: { id: string; name: string };
  lostName: string;
  /** Records the new node again; removing the last volume forgets it. */
  pin(): Promise<void>;
  /** Records that the data is complete, so that it is never replaced again for this loss. */
  done(): Promise<void>;
}

/**
 * Binds an instance to another node, in place of a lost one. Its services are gone before, so that their tasks do not come back with
 * the lost node. A record in the Swarm says that the data is not complete yet: the next leader continues with it. Returns
 * undefined if the instance is on another node already. Rejects if the lost node is back.
 */
export async function moveFromLost({ cluster, manifest, own, lost }: Move): Promise<Moving | undefined> {
  const uid = own[label.instance] ?? '';
  const records = () => cluster.contents('configs', { labels: { [RESTORING_ON]: true, [label.instance]: uid } });
  const done = async () => {
    for (const { id } of await records()) await cluster.removeContent('configs', id);
  };
  const nodes = await cluster.nodes();
  const nameOf = (id: string) => nodes.find((node) => node.id === id)?.name ?? id;
  const moving = (node: string): Moving => ({
    node: { id: node, name: nameOf(node) },
    lostName: nameOf(lost),
    pin: () => recordPin(cluster, own, node),
    done,
  });
  const pin = await recordedPin(cluster, uid);
  if (pin !== lost) {
    const [begun] = await records();
    const node = pin ?? begun?.labels[RESTORING_ON];
    if (begun === undefined || node === undefined) return undefined;
    await recordPin(cluster, own, node);
    return moving(node);
  }
  if (nodes.find(({ id }) => id === lost)?.state === 'ready') {
    await done();
    throw new Error(
      `Node ${nameOf(lost)} is back with the data; nothing was restored. Deploy the instance if it does not run.`,
    );
  }
  const here = await requireManager(cluster);
  const managed = await cluster.services({ labels: { [label.managed]: 'true' } });
  const placements = manifest.components.flatMap(({ storage, placement }) =>
    placement && storage.some(({ volume }) => volume !== undefined) ? placement : [],
  );
  const others = nodes.filter((node) => node.id !== lost && placements.every((placement) => fits(placement, node)));
  const target = chooseNode(others, managed, here.nodeId).id;
  const before = await records();
  if (!before.some(({ labels }) => labels[RESTORING_ON] === target)) {
    const labels = { ...own, ...deployedAs(manifest), [RESTORING_ON]: target };
    // Hashed, because names of configs have at most 64 characters.
    const name = `hortus-restoring.${createHash('sha256').update(`${uid} ${target}`).digest('hex').slice(0, 32)}`;
    await cluster.createContent('configs', { name, labels, data: Buffer.from(target) });
  }
  for (const { id, labels } of before) if (labels[RESTORING_ON] !== target) await cluster.removeContent('configs', id);
  for (const service of managed) if (service.labels[label.instance] === uid) await cluster.removeService(service.id);
  await forgetPin(cluster, uid);
  await recordPin(cluster, own, target);
  return moving(target);
}

const deployedAs = ({ deployment_id, revision }: Move['manifest']): Record<string, string> => ({
  [label.deployment]: deployment_id ?? '',
  [label.revision]: String(revision),
});
