import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { containerDrift } from '@hortus/daemon/drift/container-drift';
import type { ContainerSpec } from '@hortus/daemon/engine/container-spec';
import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import { isImageReference } from '@hortus/daemon/engine/docker/image-reference';
import type { Engine } from '@hortus/daemon/engine/engine';
import { desiredState } from '@hortus/daemon/plan/desired';
import { plan } from '@hortus/daemon/plan/plan';
import { substitutingEngine } from '@hortus/daemon/substitutes/substituting-engine';
import { startDocker } from '@hortus/testkit/docker';
import { readDocker } from '@hortus/testkit/docker-request';
import { busyboxImage } from '@hortus/testkit/images';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, test } from 'vitest';
import { hasOwnEngine, inLongRuns } from './catalog-installation.ts';
import { type Edition, editions, readCatalog } from './paper.ts';

const PLACEHOLDER = 'hortus.test/placeholder:1';
const nothing = { containers: [], volumes: [], networks: [], routes: [] };
/** Concurrency that keeps both the engine and this process busy. */
const hands = 8;

if (hasOwnEngine)
  test('an engine accepts every species in every profile and variant', { timeout: 600_000 }, async () => {
    await using docker = await startDocker();
    await using folder = temporaryFolder('created');
    // One image for every name; its content does not matter, because containers are never started.
    const substitutes = { of: () => PLACEHOLDER, includes: () => false };
    const engine = substitutingEngine(openDockerEngine({ socketPath: docker.socketPath }), substitutes);
    await busyboxImage(docker.socketPath, PLACEHOLDER);
    const species = [...(await readCatalog()).values()];
    expect(species.length).toBeGreaterThanOrEqual(120);
    const context = { engine, folder: folder.path, cpus: (await engine.info()).cpus };
    const problems: string[] = [];
    const work = species.values();
    const worker = async () => {
      for (const spec of work) {
        for (const edition of chosen(await editions(spec, spec.slug))) {
          const where = `${spec.slug} in ${edition.profile}${edition.variant ? `, ${edition.variant}` : ''}`;
          problems.push(...(await createAll(context, edition)).map((problem) => `${where}: ${problem}`));
        }
      }
    };
    await Promise.all(Array.from({ length: hands }, worker));
    engine.close();
    expect(problems).toEqual([]);
    expect(await readDocker(docker.socketPath, '/containers/json?all=true')).toEqual([]);
  });

interface CreateContext {
  engine: Engine;
  folder: string;
  cpus: number;
}

/**
 * Leaves out editions with equal engine requests; in ordinary runs also those that differ only in numbers, such as limits and
 * sizes, or in the tag of an image.
 */
function chosen(all: readonly Edition[]): Edition[] {
  const asked = all.map((edition) => {
    const request = JSON.stringify(edition.manifest.components);
    return [inLongRuns ? request : request.replaceAll(/\d+(\.\d+)*(-\w+)?/g, '0'), edition] as const;
  });
  return [...new Map(asked).values()];
}

/** Plans a first deployment, runs its steps up to the start, inspects the result and removes everything. */
async function createAll(context: CreateContext, { manifest }: Edition): Promise<string[]> {
  const { engine } = context;
  const problems: string[] = [];
  const desired = desiredState({ deploymentId: 'dep', definitionId: 'def', revision: 1, serverId: 'srv', manifest });
  const made: string[] = [];
  try {
    for (const step of plan(desired, nothing).steps) {
      if (step.step === 'pull' && !isImageReference(step.image)) throw new Error(`${step.image} is not an image`);
      if (step.step === 'network') await engine.ensureNetwork(step.network);
      if (step.step === 'volumes') await engine.ensureVolume(step.volume);
      if (step.step === 'files') await engine.putFiles(step.unit.spec.name, step.unit.files);
      if (step.step !== 'create') continue;
      const spec = onOurMachine(step.unit.spec, context.folder);
      made.push(await engine.create(spec));
      const facts = (await engine.inspect(spec.name)) ?? expect.fail(`${spec.name} is not there`);
      const image = (await engine.image(facts.imageId)) ?? expect.fail(`${spec.image} is not there`);
      const { instanceUid } = desired;
      const surroundings = { instanceUid, cpus: context.cpus, limitsPids: true, image, digest: null };
      problems.push(
        ...containerDrift({ ...step.unit, spec }, facts, surroundings).map((drift) => JSON.stringify(drift)),
      );
    }
    expect(made).toHaveLength(desired.units.length);
  } catch (error) {
    problems.push((error as Error).message);
  }
  for (const id of made) await engine.remove(id, { force: true });
  for (const volume of desired.volumes) await engine.removeVolume(volume.name);
  if (desired.network) await engine.removeNetwork(desired.network.name);
  return problems;
}

/** Maps host paths to existing folders, because the engine checks that they exist. */
function onOurMachine(spec: ContainerSpec, folder: string): ContainerSpec {
  const mounts = spec.mounts.map((mount) => {
    if (mount.kind !== 'host') return mount;
    const path = join(folder, mount.path);
    mkdirSync(path, { recursive: true });
    return { ...mount, path };
  });
  return { ...spec, mounts };
}
