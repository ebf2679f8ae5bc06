import type { Turns } from '../concurrency/turns.ts';
import type { Engine, NamedFacts } from '../engine/engine.ts';
import { stuckNetwork } from '../engine/stuck-network.ts';
import { type ActionOutcome, failure, success } from '../journal/action.ts';
import type { Journal } from '../journal/journal.ts';
import { label } from '../plan/labels.ts';
import { type Labelled, type Leftovers, leftovers } from './leftovers.ts';

export interface PruneContext {
  engine: Engine;
  journal: Journal;
  turns: Turns;
  serverId: string;
  params: Readonly<Record<string, unknown>>;
}

/**
 * Removes leftovers of removed instances: containers and networks with our labels, images that we pulled, and named
 * volumes. Keeps objects of instances that the service or this daemon knows, and everything of other owners.
 * Idempotent.
 */
export async function prune(context: PruneContext): Promise<ActionOutcome> {
  const { engine, journal, serverId, params } = context;
  if (!Array.isArray(params.living)) return failure('The order does not list the existing instances.');
  const dryRun = params.dry_run !== false;
  const living = new Set([...texts(params.living), ...known(journal)]);
  const found = await poll(engine, journal, serverId, living, texts(params.volumes));
  const problems = dryRun ? [] : await remove(context, found);
  const { instances: _, ...shown } = found;
  const output = JSON.stringify({ dry_run: dryRun, ...shown, problems });
  return problems.length === 0 ? success(output) : { ...failure(problems.join('\n')), output };
}

/** Instances that this daemon deployed and did not release, or is about to deploy. */
function known({ manifests, deployments }: Journal): string[] {
  const underWay = deployments.unfinished().flatMap(({ instanceUid }) => instanceUid ?? []);
  return [...manifests.all().map(({ instance_uid }) => instance_uid), ...underWay];
}

async function poll(
  engine: Engine,
  journal: Journal,
  serverId: string,
  living: ReadonlySet<string>,
  askedVolumes: readonly string[],
): Promise<Leftovers> {
  const labels = ours(serverId);
  const [containers, networks, volumes, usedImages] = await Promise.all([
    engine.containers({ labels }),
    engine.networks({ labels }),
    engine.volumes({ labels }),
    engine.imagesInUse(),
  ]);
  const pulled = await Promise.all(
    journal.pulledImages
      .all()
      .filter((name) => !engine.isSubstitute(name))
      .map(async (name) => ({ name, id: (await engine.image(name).catch(() => undefined))?.id })),
  );
  return leftovers({
    containers: containers.flatMap(labelled),
    networks: networks.flatMap(labelled),
    volumes: volumes.flatMap(labelled),
    images: pulled.flatMap(({ name, id }) => (id === undefined ? [] : [{ name, id }])),
    usedImages: new Set(usedImages),
    manifests: journal.manifests.all(),
    living,
    askedVolumes,
  });
}

const ours = (serverId: string) =>
  ({ [label.managed]: 'true', [label.server]: serverId, [label.instance]: true }) as const;

function labelled({ name, labels }: NamedFacts): Labelled[] {
  const instance = labels[label.instance];
  return instance === undefined ? [] : [{ name, instance }];
}

/** Removes the leftovers; a failure does not stop the others. */
async function remove(context: PruneContext, found: Leftovers): Promise<string[]> {
  const { engine, journal, turns } = context;
  const problems: string[] = [];
  const attempt = async (work: () => Promise<void>) => {
    await work().catch((error: Error) => problems.push(error.message));
  };
  for (const uid of found.instances) {
    // Check again: a new deployment of the instance may have started in the meantime.
    await turns.take(uid, async () => {
      if (!known(journal).includes(uid)) await removeInstance(context, uid, found.volumes, attempt);
    });
  }
  for (const name of found.images) {
    await attempt(async () => {
      await engine.removeImage(name);
      journal.pulledImages.forget(name);
    });
  }
  return problems;
}

async function removeInstance(
  { engine, serverId }: PruneContext,
  uid: string,
  askedVolumes: readonly string[],
  attempt: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const labels = { ...ours(serverId), [label.instance]: uid };
  for (const { id, stopGraceMs } of await engine.containers({ labels })) {
    await attempt(async () => {
      await engine.stop(id, stopGraceMs);
      await engine.remove(id, { force: true });
    });
  }
  for (const { name } of await engine.networks({ labels })) {
    await attempt(async () => {
      if ((await engine.removeNetwork(name)) === 'kept') throw new Error(stuckNetwork(name));
    });
  }
  for (const { name } of await engine.volumes({ labels })) {
    if (askedVolumes.includes(name)) await attempt(() => engine.removeVolume(name));
  }
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
