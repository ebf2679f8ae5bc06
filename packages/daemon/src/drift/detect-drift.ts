import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { Engine } from '../engine/engine.ts';
import type { Ingress } from '../ingress/ingress.ts';
import { readActual } from '../instances/read-actual.ts';
import type { Journal } from '../journal/journal.ts';
import { desiredState } from '../plan/desired.ts';
import { settledPins } from '../pull/settled-pins.ts';
import type { Drift } from './drift.ts';
import { imagesOf } from './images.ts';
import { instanceDrift } from './instance-drift.ts';

export interface DriftDeps {
  engine: Engine;
  ingress: Pick<Ingress, 'routesOf'>;
  journal: Pick<Journal, 'manifests'>;
}

/** Compares an instance with the manifest of its last rollout. No other operation may run on it meanwhile. */
export async function detectDrift({ engine, ingress, journal }: DriftDeps, kept: SignedManifest): Promise<Drift[]> {
  const { instance_uid: uid, server_id: serverId, definition_id: definitionId, revision } = kept;
  const manifest = await settledPins(engine, kept);
  const deploymentId = kept.deployment_id ?? '';
  const desired = desiredState({ deploymentId, definitionId, revision, serverId, manifest });
  const [{ cpus, limitsPids }, reading] = await Promise.all([
    engine.info(),
    readActual(engine, serverId, desired, ingress.routesOf(uid)),
  ]);
  const images = await imagesOf(
    engine,
    [...reading.facts.values()].map(({ imageId }) => imageId),
  );
  return instanceDrift(desired, reading, { cpus, limitsPids, images, deployed: journal.manifests.imagesOf(uid) });
}
