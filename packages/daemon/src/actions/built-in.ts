import type { Manifest } from '@hortus/contract/template/manifest';
import { primaryOf } from '@hortus/template/rollout/replacement';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import { keptNetwork } from '../engine/kept-network.ts';
import { label } from '../plan/labels.ts';
import { smokeFailure, smokeReport } from '../smoke/report.ts';
import { runSmoke } from '../smoke/smoke.ts';
import { type ActionOutcome, failure, success } from './action.ts';
import { containersOf, runningContainer } from './instance-containers.ts';

export interface BuiltInContext {
  engine: Engine;
  uid: string;
  /** Manifest of the last rollout. Without it the start order is unknown and no volume is removed. */
  manifest: Manifest | undefined;
  params: Readonly<Record<string, unknown>>;
  /** Removes the instance from the journal after its release. */
  forget(): void;
  /** Aborts transfers to this server for the instance. */
  abandon(): Promise<void>;
}

type BuiltIn = (context: BuiltInContext, containers: ContainerFacts[]) => Promise<ActionOutcome>;
/** Completed jobs are not started again with the services. */
const isService = ({ labels }: ContainerFacts): boolean => labels[label.kind] !== 'job';

/** Each action brings the instance to the named state from any state, so it is idempotent. */
const builtIns: Record<string, BuiltIn> = {
  'hortus.start': async ({ engine }, containers) => {
    for (const container of containers.filter(isService)) await engine.start(container.id);
    return success();
  },
  'hortus.stop': async ({ engine }, containers) => {
    for (const container of containers.toReversed()) await engine.stop(container.id, container.stopGraceMs);
    return success();
  },
  'hortus.restart': async ({ engine }, containers) => {
    const services = containers.filter(isService);
    for (const container of services.toReversed()) await engine.stop(container.id, container.stopGraceMs);
    for (const container of services) await engine.start(container.id);
    return success();
  },
  'hortus.release': release,
  // Sent before a release to daemons that run one command at a time; kept for servers that changed daemons.
  'hortus.remove': async (context, containers) => {
    await removeContainers(context, containers);
    return success();
  },
  // The instance runs elsewhere; the volumes here are copies.
  'hortus.clear': async (context, containers) => {
    await context.abandon();
    return await removeAll(context, containers, true);
  },
  'hortus.smoke': smoke,
};

/** Runs the smoke test of the template. */
async function smoke({ engine, uid, manifest }: BuiltInContext): Promise<ActionOutcome> {
  if (manifest === undefined) return failure('The instance was not deployed by this daemon, so it cannot be tested.');
  const primary = primaryOf(manifest);
  const containerOf = (name: string) => runningContainer(engine, uid, name, name === primary);
  const result = await runSmoke({ engine, manifest, containerOf });
  const error = smokeFailure(result);
  const output = smokeReport(result);
  return error === undefined ? success(output) : { ...failure(error), exit_code: 1, output };
}

async function release(context: BuiltInContext, containers: ContainerFacts[]): Promise<ActionOutcome> {
  const { manifest, params } = context;
  const confirmed = Array.isArray(params.confirm) ? params.confirm : [];
  const storage = (manifest?.components ?? []).flatMap((component) => component.storage);
  const unnamed = storage.filter(({ name, critical, volume }) => critical && volume && !confirmed.includes(name));
  if (params.remove_volumes === true && unnamed.length > 0) {
    const names = [...new Set(unnamed.map(({ name }) => name))].join(', ');
    return failure(`Critical volumes are removed only if confirm names them: ${names}.`);
  }
  return await removeAll(context, containers, params.remove_volumes === true);
}

async function removeAll(
  context: BuiltInContext,
  containers: readonly ContainerFacts[],
  volumesToo: boolean,
): Promise<ActionOutcome> {
  const { engine, uid } = context;
  await removeContainers(context, containers);
  const labels = { [label.managed]: 'true', [label.instance]: uid } as const;
  // Also removes running jobs of schedules and actions.
  for (const job of await engine.containers({ labels })) {
    await engine.stop(job.id, job.stopGraceMs);
    await engine.remove(job.id, { force: true });
  }
  const notes: string[] = [];
  for (const { name } of await engine.networks({ labels })) {
    // An empty network does no harm: the next prune tries again.
    if ((await engine.removeNetwork(name)) === 'kept') notes.push(keptNetwork(name));
  }
  if (volumesToo) {
    for (const { name } of await engine.volumes({ labels })) await engine.removeVolume(name);
  }
  context.forget();
  return success(notes.join('\n'));
}

async function removeContainers({ engine }: BuiltInContext, containers: readonly ContainerFacts[]): Promise<void> {
  for (const container of containers.toReversed()) {
    await engine.stop(container.id, container.stopGraceMs);
    await engine.remove(container.id, { force: true });
  }
}

/** Actions that succeed without containers. */
const removals = ['hortus.release', 'hortus.clear', 'hortus.remove'];

export async function runBuiltIn(slug: string, context: BuiltInContext): Promise<ActionOutcome> {
  const builtIn = Object.hasOwn(builtIns, slug) ? builtIns[slug] : undefined;
  if (builtIn === undefined) return failure(`This daemon has no built-in action ${slug}.`);
  const order = new Map((context.manifest?.components ?? []).map((component, index) => [component.name, index]));
  const place = ({ labels }: ContainerFacts) => order.get(labels[label.component] ?? '') ?? order.size;
  const containers = (await containersOf(context.engine, context.uid)).sort((a, b) => place(a) - place(b));
  if (containers.length === 0 && !removals.includes(slug)) return failure('The instance has no container.');
  return builtIn(context, containers);
}
