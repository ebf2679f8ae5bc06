import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backup } from '@hortus/contract/resources/backups';
import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import { ended } from '../docker/installation.ts';
import { type CatalogInstallation, inLongRuns } from './catalog-installation.ts';
import type { DeployedSpecies } from './deployed-species.ts';

/** What a test knows about the data of a species. */
export interface LossTest {
  /** Reads the data as text. */
  read(): Promise<string>;
  /** Changes the data after the backup; the restore must undo it. */
  change(): Promise<unknown>;
  /** Also restores the backup temporarily to verify it, which starts the application once more; by default only in long runs. */
  verify?: boolean;
  /** Also checks that the verification detects a damaged backup; by default only in long runs. */
  damage?: boolean;
}

/** Backs up, loses all containers and volumes, restores and compares the data. */
export async function survivesLoss(
  catalogInstallation: CatalogInstallation,
  deployed: DeployedSpecies,
  { read, change, damage = inLongRuns, verify = damage }: LossTest,
): Promise<Backup> {
  const before = await read();
  const backup = await backUp(catalogInstallation, deployed);
  expect(backup).toMatchObject({ status: 'completed', kind: 'manual', last_verified: null });
  expect(backup.stored_bytes).toBeGreaterThan(0);
  // After a stop for the backup it takes a moment to answer again.
  await until(async () => (await read()) === before, { describe: `${deployed.uid} to answer` });
  await change();
  if (verify) await verifies(catalogInstallation, deployed, backup);
  if (damage) await detectsDamage(catalogInstallation, backup);
  await destroy(catalogInstallation, deployed);
  const restored = await restore(catalogInstallation, backup);
  expect(restored, `${restored.error}\n${restored.output}`).toMatchObject({ status: 'completed' });
  await healthy(catalogInstallation, deployed);
  expect(await read()).toBe(before);
  return backup;
}

async function backUp({ installation }: CatalogInstallation, deployed: DeployedSpecies): Promise<Backup> {
  const { client } = installation.service;
  const { execution, backup } = await client.call('backups.create', { params: { id: deployed.instanceId } });
  const end = await ended(installation, execution.id, 120_000);
  expect(end, `${end.error}\n${end.output}`).toMatchObject({ status: 'completed' });
  return (await client.call('backups.read', { params: { id: backup.id } })).data;
}

export async function restore({ installation }: CatalogInstallation, { id, instance_uid }: Backup) {
  const order = { params: { id }, body: { confirm: instance_uid } };
  const { execution } = await installation.service.client.call('backups.restore', order);
  return await ended(installation, execution.id, 240_000);
}

async function verification({ installation }: CatalogInstallation, { id }: Backup) {
  const { client } = installation.service;
  const { execution } = await client.call('backups.verify', { params: { id } });
  const end = await ended(installation, execution.id, 240_000);
  return { end, backup: (await client.call('backups.read', { params: { id } })).data };
}

async function verifies(
  catalogInstallation: CatalogInstallation,
  { definitionId }: DeployedSpecies,
  taken: Backup,
): Promise<void> {
  const { end, backup } = await verification(catalogInstallation, taken);
  expect(end, `${end.error}\n${end.output}`).toMatchObject({ status: 'completed' });
  expect(end.output).toContain('passed');
  expect(backup).toMatchObject({ proof: 'restored', verify_error: null });
  expect(backup.last_verified).not.toBeNull();
  const { engine, installation } = catalogInstallation;
  const labels = { 'hortus.server': `${installation.serverId}-trial`, 'hortus.definition': definitionId };
  expect(await engine.containers({ labels })).toEqual([]);
}

async function detectsDamage(catalogInstallation: CatalogInstallation, taken: Backup): Promise<void> {
  const repair = flipBit(taken);
  const { end, backup } = await verification(catalogInstallation, taken);
  expect(end).toMatchObject({
    status: 'failed',
    error: `The backup of ${partName(taken)} cannot be used: chunk 1 is damaged.`,
  });
  expect(backup).toMatchObject({ verify_error: end.error });
  repair();
}

function partName({ parts: [part] }: Backup): string {
  return part?.kind === 'dump' ? `the output of ${part.name}` : `volume ${part?.name}`;
}

/** Flips one bit of the first stored part. */
function flipBit({ address, instance_uid, id, parts: [part] }: Backup): () => void {
  const file = join(address ?? '', instance_uid, id, part?.file ?? '');
  const whole = readFileSync(file);
  const flipped = Buffer.from(whole);
  flipped[flipped.length - 100] = (flipped.at(-100) ?? 0) ^ 1;
  writeFileSync(file, flipped);
  return () => writeFileSync(file, whole);
}

/** Removes containers and volumes, as after the loss of a disk. */
async function destroy({ engine }: CatalogInstallation, { uid }: DeployedSpecies): Promise<void> {
  const labels = { 'hortus.instance': uid };
  for (const { id } of await engine.containers({ labels })) await engine.remove(id, { force: true });
  for (const { name } of await engine.volumes({ labels })) await engine.removeVolume(name);
}

async function healthy({ installation }: CatalogInstallation, { instanceId: id, uid }: DeployedSpecies): Promise<void> {
  const isHealthy = async () =>
    (await installation.service.client.call('instances.read', { params: { id } })).data.health === 'healthy';
  await until(isHealthy, { describe: `${uid} to be healthy`, within: 120_000 });
}
