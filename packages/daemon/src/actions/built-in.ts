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
  /** What the instance was last rolled out by; without it the order of starting is not known, and no volume removed. */
  manifest: Manifest | undefined;
  params: Readonly<Record<string, unknown>>;
  /** Forgets the instance, when it has been released. */
  forget(): void;
  /** Gives up what is on its way to this server for the instance. */
  abandon(): Promise<void>;
}

type BuiltIn = (context: BuiltInContext, containers: ContainerFacts[]) => Promise<ActionOutcome>;
/** A job that has run is not started again with the services around it. */
const isService = ({ labels }: ContainerFacts): boolean => labels[label.kind] !== 'job';

/** Each leaves the instance in the state its name says, whatever the state was, so that doing it twice does no harm. */
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
  // Ordered before a release for daemons that run one command at a time; this server has changed daemons since.
  'hortus.remove': async (context, containers) => {
    await removeContainers(context, containers);
    return success();
  },
  // It runs elsewhere, and so does what it keeps: what is here are copies.
  'hortus.clear': async (context, containers) => {
    await context.abandon();
    return await removeAll(context, containers, true);
  },
  'hortus.smoke': smoke,
};

/** The deploy test of the template, on what runs. */
async function smoke({ engine, uid, manifest }: BuiltInContext): Promise<ActionOutcome> {
  if (manifest === undefined) return failure('Nothing was deployed by this daemon that could be tested.');
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
    return failure(`Critical volumes are removed only if they are named in confirm: ${names}.`);
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
  // Jobs that run beside it, on a schedule or by an action, have nothing left to run beside.
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

/** These succeed where nothing is left to remove. */
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
