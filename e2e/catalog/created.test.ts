import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import type { Engine } from '@hortus/daemon/engine/engine';
import { type Desired, desiredState, type Unit } from '@hortus/daemon/plan/desired';
import { plan } from '@hortus/daemon/plan/plan';
import { startDocker } from '@hortus/testkit/docker';
import { askDocker, readDocker } from '@hortus/testkit/docker-request';
import { busyboxImage, repository } from '@hortus/testkit/images';
import { expect, test } from 'vitest';
import { hasOwnEngine } from './greenhouse.ts';
import { type Edition, editions, readCatalog } from './paper.ts';

const nothing = { containers: [], volumes: [], networks: [], routes: [] };
/** As many at once as keep both the engine and this process busy. */
const hands = 8;

if (hasOwnEngine)
  test('an engine accepts every species in every profile and variant', { timeout: 600_000 }, async () => {
    await using docker = await startDocker();
    const engine = openDockerEngine({ socketPath: docker.socketPath });
    await busyboxImage(docker.socketPath, 'hortus.test/placeholder:1');
    const species = [...(await readCatalog()).values()];
    expect(species.length).toBeGreaterThanOrEqual(120);
    const problems: string[] = [];
    const named = new Map<string, Promise<void>>();
    const work = species.values();
    const worker = async () => {
      for (const spec of work) {
        for (const edition of distinct(await editions(spec, spec.slug))) {
          const where = `${spec.slug} in ${edition.profile}${edition.variant ? `, ${edition.variant}` : ''}`;
          const found = await createAll(engine, edition, (image) => placeholder(docker.socketPath, image, named));
          problems.push(...found.map((problem) => `${where}: ${problem}`));
        }
      }
    };
    await Promise.all(Array.from({ length: hands }, worker));
    expect(problems).toEqual([]);
    expect(await readDocker(docker.socketPath, '/containers/json?all=true')).toEqual([]);
    engine.close();
  });

/** Editions that ask the same of an engine need asking once. */
function distinct(all: readonly Edition[]): Edition[] {
  const asked = all.map((edition) => [JSON.stringify(edition.manifest.components), edition] as const);
  return [...new Map(asked).values()];
}

/** One image under every name: what it holds does not matter to a container that is never started. */
function placeholder(socketPath: string, image: string, named: Map<string, Promise<void>>): Promise<void> {
  const name = async () => {
    const query = new URLSearchParams(repository(image));
    const { status, text } = await askDocker(socketPath, 'POST', `/images/hortus.test/placeholder:1/tag?${query}`);
    if (status !== 201) throw new Error(`${image} is no name of an image: ${text}`);
  };
  const promise = named.get(image) ?? name();
  named.set(image, promise);
  return promise;
}

/** Plans a first deployment, carries out what comes before the start, looks, and takes it all away again. */
async function createAll(engine: Engine, { manifest }: Edition, name: (image: string) => Promise<void>) {
  const problems: string[] = [];
  const desired: Desired = desiredState({
    deploymentId: 'dep',
    definitionId: 'def',
    revision: 1,
    serverId: 'srv',
    manifest,
  });
  const made: string[] = [];
  try {
    for (const step of plan(desired, nothing).steps) {
      if (step.step === 'pull') await name(step.image);
      if (step.step === 'network') await engine.ensureNetwork(step.network);
      if (step.step === 'volumes') await engine.ensureVolume(step.volume);
      if (step.step === 'files') await engine.putFiles(step.unit.spec.name, step.unit.files);
      if (step.step !== 'create') continue;
      made.push(await engine.create(step.unit.spec));
      problems.push(...(await differences(engine, step.unit)));
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

/** Where the engine's account of a container differs from what was asked for. */
async function differences(engine: Engine, { spec, component }: Unit): Promise<string[]> {
  const facts = (await engine.inspect(spec.name)) ?? expect.fail(`${spec.name} is not there`);
  const mounts = spec.mounts.map((mount) => mount.target).sort();
  const pairs: [what: string, wanted: unknown, found: unknown][] = [
    ['image', spec.image, facts.image],
    ['labels', spec.labels, facts.labels],
    ['environment', Object.entries(spec.env).filter(([key, value]) => !facts.env.includes(`${key}=${value}`)), []],
    ['command', spec.command ?? facts.command, facts.command],
    ['entry point', spec.entrypoint ?? facts.entrypoint, facts.entrypoint],
    ['restart', spec.restart, facts.restartPolicy],
    ['time to stop', Math.ceil(spec.stopGraceMs / 1_000) * 1_000, facts.stopGraceMs],
    ['host network', spec.network.kind === 'host', facts.hostNetwork],
    ['mounts', mounts, facts.mounts.map(({ target }) => target).sort()],
    ['cpus', spec.limits.cpus ?? 0, facts.limits.cpus],
    ['memory', spec.limits.memoryBytes ?? 0, facts.limits.memoryBytes],
    ['processes', spec.limits.pids ?? 0, facts.limits.pids],
  ];
  return pairs
    .filter(([, wanted, found]) => JSON.stringify(wanted) !== JSON.stringify(found))
    .map(([what, wanted, found]) => `${component}: ${what}: ${JSON.stringify(wanted)} became ${JSON.stringify(found)}`);
}
